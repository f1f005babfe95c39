#include "host/device/product.h"

#include <fmt/format.h>

#include "host/device/element_size.h"

namespace systole {
namespace {

std::int64_t elements_of_a(const Product& product) {
  if (!has_patches(product)) return product.rows * product.depth;
  const auto patches = device::decode_load_patches(product.patches);
  const std::int64_t images = (product.transpose_a ? product.depth : product.rows) /
                              (std::int64_t{patches.out_height} * patches.out_width);
  return images * patches.height * patches.width * patches.pixel_bytes /
         operand_size_bytes(product.type);
}

}  // namespace

std::vector<ProductSpan> spans(const Product& product) {
  std::vector<ProductSpan> found;
  const auto add = [&](std::uint64_t address, std::int64_t elements, std::int64_t element_bytes,
                       bool is_written = false) {
    found.push_back({{address, elements * element_bytes}, element_bytes, is_written});
  };
  const std::int64_t element = operand_size_bytes(product.type);
  const std::int64_t area = product.rows * product.cols;
  add(product.a, elements_of_a(product), element);
  add(product.b, product.depth * product.cols, element);
  add(product.c, area, stored_bytes(product.format), true);
  if (product.bias != 0 && product.ones == 0) add(product.bias, product.cols, kSumSizeBytes);
  if (product.bias != 0 && product.ones != 0) {
    add(product.bias, kTerms * product.cols, operand_size_bytes(DataType::kBf16));
  }
  if (product.mask != 0) add(product.mask, area, operand_size_bytes(product.mask_type));
  if (product.column_sums != 0) add(product.column_sums, product.cols, kSumSizeBytes, true);
  return found;
}

std::string describe(const Product& product) {
  return fmt::format("{} x {} times {} x {}, {}", product.rows, product.depth, product.depth,
                     product.cols, to_string(product.type));
}

}  // namespace systole
