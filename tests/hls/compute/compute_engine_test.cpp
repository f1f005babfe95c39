// The compute engine in front of the matrix unit, as native C++, against plain loops.

#include "hls/kernels/compute_engine.h"

#include <catch2/catch.hpp>

#include "tests/hls/compute/bench.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0041;

using reference::ComputeProduct;

std::string described(const ComputeProduct& p) {
  return "rows " + std::to_string(p.rows) + ", tiles " + std::to_string(p.tiles) + ", last_depth " +
         std::to_string(p.last_depth) + ", transposes " + std::to_string(p.transpose_a) +
         std::to_string(p.transpose_b) + ", int8 " + std::to_string(p.is_int8) + ", accumulate " +
         std::to_string(p.accumulate) + ", ones_row " + std::to_string(p.ones_row);
}

/// A product of these rows and transposes; everything else at random, operands anywhere.
template <int kN>
ComputeProduct random_product(Random& random, int rows, bool transpose_a, bool transpose_b) {
  ComputeProduct product;
  product.rows = rows;
  product.tiles = random.between(1, 4);
  product.last_depth = random.between(1, kN);
  product.transpose_a = transpose_a;
  product.transpose_b = transpose_b;
  product.a_tile_stride = random.between(0, 300);
  product.b_tile_stride = random.between(0, 300);
  product.a_row = random.between(0, 65'535);
  product.b_row = random.between(0, 65'535);
  product.sum_row = random.between(0, 1023);
  product.is_int8 = random.below(3) == 0;
  product.accumulate = random.below(2) == 0;
  product.ones_row = random.below(2) == 0;
  return product;
}

template <int kN>
void check_every_shape() {
  for (const int rows : {1, kN - 1, kN, kN + 1, 2 * kN + 1, 200}) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        Random random(kSeed + static_cast<std::uint64_t>(rows));
        ComputeBench<kN> bench(kSeed);
        for (int i = 0; i < 4; ++i) {
          const auto product = random_product<kN>(random, rows, transpose_a, transpose_b);
          INFO("N " << kN << ", " << described(product) << ", seed " << kSeed);
          bench.queue(product);
          REQUIRE(bench.run());
          CHECK(bench.sums() == bench.expected());
        }
      }
    }
  }
}

TEST_CASE("compute engine of 4 multiplies every shape to the oracle's bits", "[compute_engine]") {
  check_every_shape<4>();
}

TEST_CASE("compute engine of 8 multiplies every shape to the oracle's bits", "[compute_engine]") {
  check_every_shape<8>();
}

template <int kN>
void check_back_to_back(int products) {
  Random random(kSeed);
  for (int run = 0; run < 6; ++run) {
    ComputeBench<kN> bench(kSeed);
    int rows = 0;
    int tiles = 0;
    for (int i = 0; i < products; ++i) {
      const int sizes[] = {1, 2, kN - 1, kN, kN + 1, 2 * kN + 1, random.between(1, 60)};
      auto product = random_product<kN>(random, sizes[random.below(std::size(sizes))],
                                        random.below(2) == 0, random.below(2) == 0);
      // Often the rows of the product before, or nearly.
      product.sum_row = random.between(0, 5) + 512 * random.between(0, 1);
      if (run == 0) product.tiles = 1;
      bench.queue(product);
      rows += product.tiles * (product.rows + product.ones_row);
      tiles += product.tiles;
    }
    INFO("N " << kN << ", run " << run << ", seed " << kSeed);
    REQUIRE(bench.run());
    CHECK(bench.counted.rows == rows);
    CHECK(bench.counted.tiles == tiles);
    CHECK(bench.counted_twice == 0);
    CHECK(bench.sums() == bench.expected());
  }
}

TEST_CASE("products back to back on any rows of sums leave the oracle's bits", "[compute_engine]") {
  check_back_to_back<4>(60);
  check_back_to_back<8>(40);
  check_back_to_back<16>(20);
  check_back_to_back<32>(10);
}

TEST_CASE("a lone product takes as many clocks as the formula says", "[compute_engine]") {
  constexpr int kN = 8;
  for (const int rows : {1, kN - 1, kN, kN + 1, 2 * kN, 2 * kN + 3, 50}) {
    for (const int tiles : {1, 2, 3, 7}) {
      for (int flags = 0; flags < 8; ++flags) {
        ComputeProduct product;
        product.rows = rows;
        product.tiles = tiles;
        product.last_depth = 3;
        product.transpose_a = (flags & 1) != 0;
        product.transpose_b = (flags & 2) != 0;
        product.ones_row = (flags & 4) != 0;
        product.a_tile_stride = 64;
        INFO(described(product));
        ComputeBench<kN> bench(kSeed);
        bench.queue(product);
        REQUIRE(bench.run());
        CHECK(bench.row_at.back() - bench.taken_at.back() + 1 ==
              kernels::compute_cycles<kN>(rows, tiles, product.transpose_a, product.ones_row));
      }
    }
  }
}

/// Rows that entered, and the clocks from the first to the last of them.
template <int kN>
void check_no_bubble(const ComputeProduct& shape, int products) {
  ComputeBench<kN> bench(kSeed);
  for (int i = 0; i < products; ++i) {
    auto product = shape;
    product.sum_row = 512 * (i % 2);
    product.a_row = 1000 * (i % 3);
    product.b_row = 500 * (i % 4);
    bench.queue(product);
  }
  INFO("N " << kN << ", " << described(shape));
  REQUIRE(bench.run());
  const int entering = products * shape.tiles * (shape.rows + shape.ones_row);
  CHECK(static_cast<int>(bench.row_at.size()) == entering);
  CHECK(bench.row_at.back() - bench.row_at.front() + 1 == entering);
  CHECK(bench.sums() == bench.expected());
}

TEST_CASE("a row enters every clock while operands are present", "[compute_engine]") {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      ComputeProduct shape;
      shape.last_depth = 16;
      shape.transpose_a = transpose_a;
      shape.transpose_b = transpose_b;
      shape.a_tile_stride = 128;
      shape.b_tile_stride = 16;
      shape.rows = 128;
      shape.tiles = 49;
      check_no_bubble<16>(shape, 2);
      shape.rows = 64;
      shape.tiles = 4;
      check_no_bubble<16>(shape, 6);
      shape.rows = 16;
      shape.tiles = 1;
      check_no_bubble<16>(shape, 12);
      shape.tiles = 3;
      shape.ones_row = true;
      check_no_bubble<16>(shape, 6);
    }
  }
}

TEST_CASE("only the first block of A transposed costs clocks, and an incomplete last one",
          "[compute_engine]") {
  constexpr int kN = 16;
  const auto bubbles = [](const std::vector<std::pair<bool, int>>& products) {
    ComputeBench<kN> bench(kSeed);
    int sum_row = 0;
    for (const auto& [transpose_a, rows] : products) {
      ComputeProduct product;
      product.rows = rows;
      product.tiles = 3;
      product.last_depth = kN;
      product.transpose_a = transpose_a;
      product.a_tile_stride = 48;
      product.sum_row = sum_row;
      bench.queue(product);
      sum_row += 128;
    }
    CHECK(bench.run());
    CHECK(bench.sums() == bench.expected());
    return bench.row_at.back() - bench.row_at.front() + 1 - static_cast<int>(bench.row_at.size());
  };
  CHECK(bubbles({{false, 50}, {false, 40}, {false, 37}}) == 0);
  CHECK(bubbles({{true, 64}, {true, 32}}) == 0);
  CHECK(bubbles({{true, 64}, {false, 40}}) == 0);
  CHECK(bubbles({{false, 50}, {true, 64}}) == kN);
  CHECK(bubbles({{false, 50}, {true, 64}, {false, 40}, {true, 64}}) == 2 * kN);
  // 40 rows are two and a half blocks; nothing follows behind the last tile.
  CHECK(bubbles({{true, 40}}) == 2 * kN / 2);
}

}  // namespace
}  // namespace systole::tests
