// The harness keeps every distance that the matrix unit asks for, and the closed recurrence counts
// the very clocks that the harness takes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "sim/device/cycle_count.h"
#include "sim/device/harness.h"
#include "tests/sim/contract_unit.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using tests::ContractUnit;
using tests::Random;

struct Shape {
  std::int64_t rows, depth, cols;
};

struct Run {
  Counters counters;
  std::vector<std::uint32_t> c;
};

constexpr std::uint32_t kPreloaded = 1000;

template <int kN>
Run run(const Shape& shape, bool accumulate) {
  Matmul product;
  product.rows = shape.rows;
  product.depth = shape.depth;
  product.cols = shape.cols;
  const std::vector<std::byte> a(static_cast<std::size_t>(shape.rows * shape.depth * 2));
  const std::vector<std::byte> b(static_cast<std::size_t>(shape.depth * shape.cols * 2));
  Run result;
  result.c.assign(static_cast<std::size_t>(shape.rows * shape.cols), kPreloaded);
  const UnitTiming timing = unit_timing(kN);
  const Tiling tiling(shape.rows, shape.depth, shape.cols, kN, timing.bank_rows);
  const PackedOperands operands(product, tiling, a, b);
  Sequencer sequencer(tiling, timing, operands, result.c,
                      {.is_int8 = false, .accumulate = accumulate});
  ContractUnit<kN> unit;
  result.counters = run_product(unit, sequencer, timing);
  return result;
}

template <int kN>
void check(const Shape& shape, bool accumulate) {
  INFO(shape.rows << " x " << shape.depth << " x " << shape.cols << " on N = " << kN
                  << (accumulate ? ", accumulating" : ""));
  Run result;
  REQUIRE_NOTHROW(result = run<kN>(shape, accumulate));
  const UnitTiming timing = unit_timing(kN);
  const Tiling tiling(shape.rows, shape.depth, shape.cols, kN, timing.bank_rows);
  const auto expected_c =
      static_cast<std::uint32_t>(tiling.depth_tiles()) + (accumulate ? kPreloaded : 0);
  std::size_t wrong = 0;
  for (const std::uint32_t sum : result.c) wrong += sum != expected_c;
  CHECK(wrong == 0);

  const Counters predicted = count_cycles(tiling, timing, accumulate);
  const Counters& counted = result.counters;
  CHECK(predicted.cycles == counted.cycles);
  CHECK(predicted.busy_cycles == counted.busy_cycles);
  CHECK(predicted.weight_stall_cycles == counted.weight_stall_cycles);
  CHECK(predicted.hazard_stall_cycles == counted.hazard_stall_cycles);
  CHECK(predicted.drain_cycles == counted.drain_cycles);
  CHECK(predicted == counted);
  CHECK(counted.busy_cycles + counted.weight_stall_cycles + counted.hazard_stall_cycles +
            counted.drain_cycles ==
        counted.cycles);
}

template <int kN>
void check_random(std::uint64_t seed, int count) {
  INFO("seed " << seed);
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const auto size = [&] {
      switch (random.below(4)) {
        case 0:
          return random.between(1, 7);
        case 1:
          return random.between(1, 2 * kN + 1);
        case 2:
          return random.between(1, 9 * kN);
        default:
          return random.between(1, 12) * kN + random.between(-1, 1);
      }
    };
    // Sometimes more rows than a bank has.
    const int rows = random.below(12) == 0 ? random.between(400, 1200) : size();
    check<kN>({rows, size(), size()}, random.below(3) == 0);
  }
}

}  // namespace

TEST_CASE("the recurrence counts the harness's clocks on random shapes", "[schedule]") {
  check_random<4>(1, 3000);
  check_random<8>(2, 1500);
  check_random<16>(3, 800);
}

TEST_CASE("the recurrence counts the harness's clocks on large arrays", "[schedule]") {
  check_random<32>(4, 100);
  check_random<64>(5, 50);
  check_random<128>(6, 20);
}

TEST_CASE("the recurrence counts the harness's clocks on every ragged size", "[schedule]") {
  constexpr int kN = 4;
  for (const int rows : {1, kN - 1, kN, kN + 1, 2 * kN + 1, 511, 512, 513, 1025}) {
    for (const int depth : {1, kN - 1, kN, kN + 1, 2 * kN + 1}) {
      for (const int cols : {1, kN - 1, kN, kN + 1, 2 * kN + 1, 33}) {
        check<kN>({rows, depth, cols}, false);
        check<kN>({rows, depth, cols}, true);
      }
    }
  }
}

TEST_CASE("a tile of as many rows as the array is wide takes exactly its rows' clocks",
          "[schedule]") {
  const auto per_tile = [](int size, std::int64_t rows, std::int64_t tiles) {
    const UnitTiming timing = unit_timing(size);
    const auto cycles = [&](std::int64_t count) {
      return count_cycles(Tiling(rows, count * size, size, size, timing.bank_rows), timing, false)
          .cycles;
    };
    return cycles(tiles + 1) - cycles(tiles);
  };
  for (const int size : {4, 8, 16, 32, 64, 128}) {
    const int first = std::max(size, 6);  // below 6 rows, sums of one row would meet in flight
    for (const std::int64_t rows : {first, first + 1, 2 * size, 2 * size + 1, 512}) {
      INFO("N = " << size << ", " << rows << " rows");
      for (const std::int64_t tiles : {2, 3, 10}) {
        CHECK(per_tile(size, rows, tiles) == static_cast<std::uint64_t>(rows));
      }
    }
  }
}

TEST_CASE("nothing but the first load stalls a product of tiles of 2 N rows", "[schedule]") {
  for (const int size : {4, 8, 16, 32, 64, 128}) {
    const UnitTiming timing = unit_timing(size);
    const Tiling tiling(2 * size, 20 * size, 5 * size, size, timing.bank_rows);
    const Counters counters = count_cycles(tiling, timing, false);
    INFO("N = " << size);
    CHECK(counters.weight_stall_cycles == static_cast<std::uint64_t>(size));
    CHECK(counters.hazard_stall_cycles == 0);
    CHECK(counters.busy_cycles == static_cast<std::uint64_t>(100 * 2 * size));
  }
}

TEST_CASE("a 16 x 16 array does useful work in 99% of the clocks of large products", "[schedule]") {
  const UnitTiming timing = unit_timing(16);
  for (const int size : {256, 512, 1024}) {
    INFO(size << "^3");
    const Tiling tiling(size, size, size, 16, timing.bank_rows);
    CHECK(utilization(count_cycles(tiling, timing, false), 16) > 0.99);
  }
}

TEST_CASE("a 16 x 16 array does useful work in 98% of the clocks of an mnist-mlp step",
          "[schedule]") {
  // 784-512-10 at batch 128: both layers forward and dW, and dX of the second.
  const UnitTiming timing = unit_timing(16);
  Counters step;
  for (const Shape& shape : {Shape{128, 784, 512}, Shape{128, 512, 10}, Shape{784, 128, 512},
                             Shape{512, 128, 10}, Shape{128, 10, 512}}) {
    const Tiling tiling(shape.rows, shape.depth, shape.cols, 16, timing.bank_rows);
    step += count_cycles(tiling, timing, false);
  }
  CHECK(step.macs == 256u * 409'088u);
  CHECK(utilization(step, 16) > 0.98);
}

TEST_CASE("the contract unit refuses a row whose plane is not loaded", "[schedule]") {
  ContractUnit<4> unit;
  const std::uint16_t lanes[4] = {};
  Beat row;
  row.activation = lanes;
  CHECK_THROWS_AS(unit.tick(row), std::logic_error);
}

TEST_CASE("the contract unit refuses to read a row that holds no sum", "[schedule]") {
  ContractUnit<4> unit;
  Beat read;
  read.read_valid = true;
  CHECK_THROWS_AS(unit.tick(read), std::logic_error);
}

}  // namespace systole
