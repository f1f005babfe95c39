#include "host/driver/product.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole {
namespace {

[[noreturn]] void refuse(const Product& product, std::string_view why) {
  throw std::invalid_argument(fmt::format("matmul: {}: {}", describe(product.matmul), why));
}

void check_size(const Product& product, std::string_view name, const Buffer& buffer,
                std::int64_t needed_bytes) {
  if (!buffer || buffer.size_bytes() >= needed_bytes) return;
  refuse(product, fmt::format("{} needs {} bytes, its buffer has {}", name, needed_bytes,
                              buffer.size_bytes()));
}

}  // namespace

void check_epilogue(const Product& product) {
  const Matmul& matmul = product.matmul;
  const Epilogue& epilogue = product.epilogue;
  if ((epilogue.bias ? 1 : 0) + (epilogue.column_sums ? 1 : 0) + (matmul.accumulate ? 1 : 0) > 1) {
    refuse(product, "bias, column sums and accumulate exclude each other: leave one");
  }
  if (epilogue.result == ResultType::kBf16 && matmul.accumulate) {
    refuse(product, "accumulating needs C to hold sums, not bf16");
  }
  if (epilogue.result == ResultType::kBf16 && matmul.type == DataType::kInt8) {
    refuse(product, "an int8 product has int32 sums, which do not become bf16");
  }
  if (epilogue.mask && epilogue.mask_type == DataType::kFp32 && matmul.type != DataType::kFp32) {
    refuse(product, "an fp32 mask goes with an fp32 product: give it as bf16 or int8");
  }
  check_size(product, "the bias", epilogue.bias, matmul.cols * kSumSizeBytes);
  check_size(product, "column sums", epilogue.column_sums, matmul.cols * kSumSizeBytes);
  check_size(product, "the mask", epilogue.mask,
             matmul.rows * matmul.cols * operand_size_bytes(epilogue.mask_type));
  for (const Buffer* read : {&matmul.a, &matmul.b, &epilogue.bias, &epilogue.mask}) {
    if (!*read) continue;
    if (matmul.c == *read || epilogue.column_sums == *read) {
      refuse(product, "what it writes shares a buffer with what it reads; give it one of its own");
    }
  }
  if (epilogue.column_sums && epilogue.column_sums == matmul.c) {
    refuse(product, "column sums share their buffer with C; give them one of their own");
  }
}

}  // namespace systole
