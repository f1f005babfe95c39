// Tokens, hazards, counters and stopping of the compute engine, in front of the matrix unit.

#include <catch2/catch.hpp>

#include "tests/hls/compute/bench.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0043;
constexpr int kN = 8;

using reference::ComputeProduct;
using Bench = ComputeBench<kN>;

ComputeProduct product_of(int rows, int tiles) {
  ComputeProduct product;
  product.rows = rows;
  product.tiles = tiles;
  product.last_depth = kN;
  product.a_tile_stride = 64;
  product.b_tile_stride = kN;
  return product;
}

TEST_CASE("store's token arrives two clocks before the read it allows, and no earlier",
          "[compute_engine]") {
  for (const bool early : {false, true}) {
    Bench bench(kSeed);
    auto product = product_of(13, 2);
    bench.queue(product, {.signal = kStoreTie});
    while (bench.given_to_store.empty()) bench.clock();
    // `given` shows in clock `now - 1`; the counter shows it in `now`, and a read enters after
    // that.
    const int read_at = bench.given_to_store.front() + 2;
    const int last_row = bench.row_at.back();
    CHECK(read_at == last_row + Bench::Unit::kArrayCycles + Bench::Unit::kLoopCycles);

    Bench again(kSeed);
    again.queue(product);
    while (again.now < read_at - (early ? 1 : 0)) again.clock();
    again.results.clear();
    again.read_row = 12;
    again.clock();
    again.read_row = -1;
    for (int i = 0; i < Bench::Unit::kReadCycles; ++i) again.clock();
    const auto expected = std::vector<std::uint32_t>(again.expected().begin() + 12 * kN,
                                                     again.expected().begin() + 13 * kN);
    CHECK((again.results == expected) == !early);
  }
}

TEST_CASE("buffers may be overwritten once load's token is given", "[compute_engine]") {
  for (int flags = 0; flags < 4; ++flags) {
    auto product = product_of(21, 5);
    product.transpose_a = (flags & 1) != 0;
    product.transpose_b = (flags & 2) != 0;
    Bench bench(kSeed);
    bench.queue(product, {.signal = kLoadTie});
    while (bench.given_to_load.empty()) bench.clock();
    CHECK(bench.given_to_load.front() <= bench.row_at.back());
    bench.spoil_all();
    REQUIRE(bench.run());
    CHECK(bench.given_to_load.size() == 1);
    CHECK(bench.given_to_store.empty());
    CHECK(bench.sums() == bench.expected());
  }
}

TEST_CASE("no word is read before load's token arrives", "[compute_engine]") {
  Bench bench(kSeed);
  bench.queue(product_of(9, 2), {.wait = kLoadTie});
  for (int i = 0; i < 100; ++i) {
    bench.clock();
    CHECK(!bench.outputs().rows_read);
    CHECK(!bench.outputs().weights_read);
  }
  CHECK(bench.outputs().waits);
  CHECK(bench.outputs().waiting_command == hls::UInt16(1));
  CHECK(!bench.outputs().idle);
  bench.load_tokens = 1;
  REQUIRE(bench.run());
  CHECK(bench.load_tokens == 0);
  CHECK(bench.counted.load > 90);
  CHECK(bench.counted.store == 0);
  CHECK(bench.sums() == bench.expected());
}

TEST_CASE("weights are in the array when store's token arrives, so rows start at once",
          "[compute_engine]") {
  for (const bool transpose_a : {false, true}) {
    Bench bench(kSeed);
    auto product = product_of(9, 2);
    product.transpose_a = transpose_a;
    bench.load_tokens = 1;
    bench.queue(product, {.wait = kLoadTie | kStoreTie});
    for (int i = 0; i < 60; ++i) bench.clock();
    CHECK(bench.load_tokens == 1);
    CHECK(bench.row_at.empty());
    CHECK(bench.outputs().waits);
    CHECK(bench.counted.store > 40);
    bench.store_tokens = 1;
    const int token_at = bench.now;
    REQUIRE(bench.run());
    CHECK(bench.row_at.front() - token_at <= 3);
    CHECK(bench.load_tokens == 0);
    CHECK(bench.store_tokens == 0);
    CHECK(bench.sums() == bench.expected());
  }
}

TEST_CASE("a product that waits only for store reads nothing before its token",
          "[compute_engine]") {
  Bench bench(kSeed);
  bench.queue(product_of(9, 2), {.wait = kStoreTie});
  for (int i = 0; i < 60; ++i) {
    bench.clock();
    CHECK(!bench.outputs().weights_read);
    CHECK(!bench.outputs().rows_read);
  }
  bench.store_tokens = 1;
  REQUIRE(bench.run());
  CHECK(bench.sums() == bench.expected());
}

TEST_CASE("a token is taken once", "[compute_engine]") {
  Bench bench(kSeed);
  for (int i = 0; i < 3; ++i) {
    auto product = product_of(kN, 1);
    product.sum_row = 100 * i;
    bench.queue(product, {.wait = kLoadTie, .signal = kStoreTie});
  }
  for (int tokens = 1; tokens <= 3; ++tokens) {
    bench.load_tokens = 1;
    for (int i = 0; i < 400; ++i) bench.clock();
    CHECK(bench.load_tokens == 0);
    CHECK(bench.row_at.size() == static_cast<std::size_t>(kN * tokens));
    CHECK(bench.given_to_store.size() == static_cast<std::size_t>(tokens));
  }
  CHECK(bench.outputs().idle);
  CHECK(bench.sums() == bench.expected());
}

TEST_CASE("a product waits for tokens only after giving its own", "[compute_engine]") {
  Bench bench(kSeed);
  bench.queue(product_of(20, 3), {.signal = kStoreTie});
  bench.queue(product_of(20, 3), {.wait = kStoreTie});
  while (bench.given_to_store.empty()) {
    bench.clock();
    CHECK(!bench.outputs().waits);
  }
  for (int i = 0; i < 10; ++i) bench.clock();
  CHECK(bench.outputs().waits);
  bench.store_tokens = 1;
  REQUIRE(bench.run());
}

TEST_CASE("rows that accumulate wait for earlier rows only where they overlap",
          "[compute_engine]") {
  constexpr int kFour = 4;
  using Small = ComputeBench<kFour>;
  const auto rows_wait = [](int first, int second) {
    Small bench(kSeed);
    ComputeProduct product;
    product.last_depth = kFour;
    product.rows = kFour;
    product.sum_row = first;
    bench.queue(product);
    product.sum_row = second;
    product.accumulate = true;
    bench.queue(product);
    CHECK(bench.run());
    CHECK(bench.sums() == bench.expected());
    return bench.counted.sums;
  };
  CHECK(rows_wait(0, 0) == Small::Unit::kLoopCycles - kFour);
  CHECK(rows_wait(0, 512) == 0);
  CHECK(rows_wait(0, 4) == 0);
  CHECK(rows_wait(510, 510) == Small::Unit::kLoopCycles - kFour);
  // The last row of the one is the first of the other.
  CHECK(rows_wait(0, 3) == Small::Unit::kLoopCycles - 1);
}

TEST_CASE("every clock counts as a row, a wait with its cause, or idle", "[compute_engine]") {
  Bench bench(kSeed);
  bench.queue(product_of(40, 3));
  auto next = product_of(11, 4);
  next.transpose_a = true;
  next.ones_row = true;
  next.sum_row = 512;
  bench.queue(next);
  REQUIRE(bench.run());
  CHECK(bench.counted.rows == static_cast<int>(bench.row_at.size()));
  CHECK(bench.counted.rows == 40 * 3 + 12 * 4);
  CHECK(bench.counted.tiles == 7);
  CHECK(bench.counted_twice == 0);
  CHECK(bench.counted.weights >= 2 * kN);
  CHECK(bench.counted.load + bench.counted.store == 0);
}

TEST_CASE("stop drops running and queued work; later products run as after reset",
          "[compute_engine]") {
  Random random(kSeed);
  for (int run = 0; run < 40; ++run) {
    INFO("run " << run << ", seed " << kSeed);
    Bench bench(kSeed);
    for (int i = 0; i < 8; ++i) {
      auto product = product_of(random.between(1, 30), random.between(1, 3));
      product.transpose_a = random.below(2) == 0;
      product.transpose_b = random.below(2) == 0;
      bench.queue(product, {.wait = i == 5 ? kLoadTie : 0, .signal = kLoadTie | kStoreTie});
    }
    const int clocks = random.between(0, 300);
    for (int i = 0; i < clocks; ++i) bench.clock();
    bench.stop = true;
    bench.clock();
    const auto given = bench.given_to_load.size() + bench.given_to_store.size();
    REQUIRE(bench.run(500));
    CHECK(bench.given_to_load.size() + bench.given_to_store.size() <= given + 2);
    bench.stop = false;
    bench.start_anew();
    for (int i = 0; i < 4; ++i) {
      auto product = product_of(random.between(1, 30), random.between(1, 3));
      product.transpose_a = random.below(2) == 0;
      product.transpose_b = random.below(2) == 0;
      product.sum_row = 512 * (i % 2);
      bench.queue(product);
    }
    REQUIRE(bench.run());
    CHECK(bench.sums() == bench.expected());
  }
}

}  // namespace
}  // namespace systole::tests
