// The model's products against the oracle, in every instruction set of this processor.
#include "sim/model/model_matmul.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tests/host/product_case.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using tests::Operands;
using tests::ProductCase;
using tests::Random;

constexpr std::uint64_t kSeed = 11;

std::vector<std::byte> run_model(const ProductCase& product, int array_size, int threads,
                                 const BlockKernels& kernels) {
  // At a multiple of 64 bytes, as device memory is.
  std::vector<std::uint32_t> room(
      static_cast<std::size_t>(product.shape.rows * product.shape.cols) + 16, 0xdeadbeef);
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(room.data()) / 4 % 16;
  const std::span<std::uint32_t> c = std::span(room).subspan(skipped, room.size() - 16);
  if (product.shape.accumulate) std::memcpy(c.data(), product.c.data(), product.c.size());
  ModelMatmul matmul(array_size, threads, kernels);
  matmul(product.shape, product.a, product.b, c);
  std::vector<std::byte> bytes(c.size_bytes());
  std::memcpy(bytes.data(), c.data(), bytes.size());
  return bytes;
}

void check(const ProductCase& product, int array_size, int threads = 1) {
  const std::vector<std::byte> expected = tests::reference_case(product, array_size);
  for (const BlockKernels& kernels : block_kernels()) {
    INFO(kernels.name << ", array " << array_size << ", " << product.text() << ", seed " << kSeed);
    REQUIRE(run_model(product, array_size, threads, kernels) == expected);
  }
}

void check(const Product& shape, int array_size, Operands operands, int threads = 1) {
  check(tests::make_case(shape, kSeed, operands), array_size, threads);
}

/// bf16 of both signs from 2^(least - 127) on, over some binades, and every fourth a zero.
void make_small(std::vector<std::byte>& operands, int least, Random& random) {
  for (std::size_t i = 0; i < operands.size(); i += 2) {
    const auto exponent = static_cast<unsigned>(random.between(least, least + 12));
    const auto bits = static_cast<std::uint16_t>(
        random.below(4) == 0 ? 0 : random.below(2) << 15 | exponent << 7 | random.below(128));
    std::memcpy(&operands[i], &bits, sizeof bits);
  }
}

Product random_shape(Random& random, int most_rows, int most_depth, int most_cols) {
  Product shape;
  shape.rows = random.between(1, most_rows);
  shape.depth = random.between(1, most_depth);
  shape.cols = random.between(1, most_cols);
  shape.type = random.below(3) == 0 ? DataType::kInt8 : DataType::kBf16;
  shape.transpose_a = random.below(2) != 0;
  shape.transpose_b = random.below(2) != 0;
  shape.accumulate = random.below(2) != 0;
  return shape;
}

}  // namespace

TEST_CASE("the model gives the oracle's bits on ragged sizes of every array", "[model]") {
  for (const int array_size : {4, 8, 16}) {
    for (const Product& shape : tests::conformance_shapes(array_size, kSeed, 150)) {
      check(shape, array_size, Operands::kOrdinary);
    }
  }
  for (const int array_size : {32, 64, 128}) {
    for (const Product& shape : tests::conformance_shapes(array_size, kSeed, 6)) {
      check(shape, array_size, Operands::kOrdinary);
    }
  }
}

TEST_CASE("the model gives the oracle's bits for operands of any bits", "[model]") {
  Random random(kSeed);
  for (int i = 0; i < 200; ++i) {
    check(random_shape(random, 20, 40, 70), 4 << random.below(3), Operands::kAnyBits);
  }
}

TEST_CASE("the model gives the oracle's bits across its own blocks", "[model]") {
  Random random(kSeed + 1);
  for (int i = 0; i < 6; ++i) {
    // More rows than a group of panels, more depth than a chunk.
    check(random_shape(random, 280, 600, 40), 4 << random.below(3), Operands::kOrdinary);
  }
}

TEST_CASE("the model gives the oracle's bits where a result is larger than a cache", "[model]") {
  for (const int cols : {1024, 1040, 1000}) {
    for (const int threads : {1, 2}) {
      check({.rows = 1034, .depth = 5, .cols = cols}, 4, Operands::kOrdinary, threads);
    }
  }
}

TEST_CASE("the model's bits do not depend on the number of threads", "[model]") {
  Random random(kSeed + 2);
  for (int i = 0; i < 20; ++i) {
    const Product shape = random_shape(random, 100, 300, 100);
    const ProductCase product = tests::make_case(shape, kSeed, Operands::kAnyBits);
    const BlockKernels& kernels = *block_kernels().begin();
    const std::vector<std::byte> expected = run_model(product, 16, 1, kernels);
    for (const int threads : {2, 3, 7}) {
      INFO(product.text() << " on " << threads << " threads");
      CHECK(run_model(product, 16, threads, kernels) == expected);
    }
  }
}

TEST_CASE("a zero that a sum too small for a number becomes has the oracle's sign", "[model]") {
  Random random(kSeed);
  for (int i = 0; i < 200; ++i) {
    Product shape = random_shape(random, 40, 40, 70);
    shape.type = DataType::kBf16;
    ProductCase product = tests::make_case(shape, kSeed, Operands::kOrdinary);
    make_small(product.a, random.between(50, 70), random);
    make_small(product.b, random.between(50, 70), random);
    for (std::size_t at = 0; at + 4 <= product.c.size(); at += 4) {
      const std::uint32_t sum = static_cast<std::uint32_t>(
          random.below(2) << 31 | random.below(3) << random.between(0, 28));
      std::memcpy(&product.c[at], &sum, sizeof sum);
    }
    check(product, 4 << random.below(4));
  }
}

TEST_CASE("this processor's kernels are listed fastest first, portable last", "[model]") {
  const BlockKernelList& list = block_kernels();
  REQUIRE(list.count >= 1);
  CHECK(std::string(list.kernels[list.count - 1].name) == "portable");
}

}  // namespace systole
