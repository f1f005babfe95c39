// The load engine where something goes wrong: faults, errors, and stop at any time.

#include <catch2/catch.hpp>

#include "tests/support/load_bench.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0042;
constexpr unsigned kCompute = 1 << kernels::kComputeBit;
constexpr unsigned kStore = 1 << kernels::kStoreBit;

/// After a fault: stop, until idle, and everything that was asked for has been dropped.
template <int kN>
void check_stop(Bench<kN>& bench) {
  bench.traffic.stop(true);
  bench.clock(2);
  const std::size_t tokens = bench.traffic.given().size();
  const std::size_t bursts = bench.traffic.bursts().size();
  const std::size_t words = bench.traffic.words().size();
  REQUIRE(bench.finish());
  CHECK(bench.traffic.beats_owed() == 0);
  CHECK(bench.traffic.bursts().size() <= bursts + 2);  // those that the register slice holds
  CHECK(bench.traffic.words().size() <= words);
  CHECK(bench.traffic.given().size() == tokens);
  bench.traffic.stop(false);
  bench.clock(2);
  CHECK(bench.engine->outputs().idle);

  // And it works again.
  const int rows = 9;
  bench.traffic.load({.block = tile(rows), .signal = kCompute});
  Expected expected;
  expected.add(tile(rows), kN);
  const std::size_t before = bench.traffic.words().size();
  REQUIRE(bench.finish());
  REQUIRE(bench.traffic.words().size() == before + expected.words.size());
  for (std::size_t i = 0; i < expected.words.size(); ++i) {
    CHECK(bench.traffic.words()[before + i].word == expected.words[i]);
  }
  CHECK(bench.traffic.given().size() == tokens + 1);
}

TEMPLATE_TEST_CASE_SIG("a burst outside the windows is not issued, nor any after it",
                       "[load_engine]", ((int kN), kN), 4, 16) {
  Random random(kSeed);
  int faults = 0;
  for (int run = 0; run < 60; ++run) {
    Bench<kN> bench({.latency = random.between(1, 40), .beats_of_8 = random.between(1, 8)});
    bench.traffic.close(0);
    // Two windows side by side are still two: a burst must lie in one.
    bench.traffic.open(1, 0x1'0000, 0x1'0400);
    bench.traffic.open(2, 0x1'0400, 0x1'0400 + random.below(2000));
    bench.traffic.open(3, 0, 0x1'0000);
    Expected all;
    reference::LoadBlock block = tile(random.between(1, 40), 0x1'0000 + random.below(128));
    block.row_stride = random.below(400);
    block.cols = random.between(1, 200);
    all.add(block, kN);
    const unsigned index = bench.traffic.load({.block = block, .signal = kCompute});
    bench.traffic.load({.block = block, .signal = kCompute});
    INFO("N " << kN << ", run " << run << ", seed " << kSeed);
    const auto inside = [&](const reference::LoadBurst& burst) {
      return kernels::is_open(bench.traffic.windows(), kernels::Address::from(burst.first),
                              kernels::Address::from(burst.last));
    };
    std::size_t allowed = 0;
    while (allowed < all.bursts.size() && inside(all.bursts[allowed])) ++allowed;
    bench.traffic.open(0, 0x1'0000, 0x1'0000);  // empty
    if (allowed == all.bursts.size()) {
      REQUIRE(bench.finish());
      CHECK(bench.traffic.faults().empty());
      continue;
    }
    ++faults;
    for (int i = 0; i < 20'000 && bench.traffic.faults().empty(); ++i) bench.clock();
    REQUIRE(bench.traffic.faults().size() == 1);
    bench.clock(100);
    CHECK(bench.traffic.faults().size() == 1);
    CHECK(bench.traffic.faults()[0].code == kernels::kFaultReadWindow);
    CHECK(bench.traffic.faults()[0].command == index);
    CHECK(bench.traffic.faults()[0].address == all.bursts[allowed].first);
    REQUIRE(bench.traffic.bursts().size() == allowed);
    CHECK_FALSE(bench.engine->outputs().idle);
    bench.traffic.open(0, 0, 1ull << 39);
    check_stop(bench);
  }
  CHECK(faults > 20);
}

TEMPLATE_TEST_CASE_SIG("an error from memory is raised with its row, and its words are not written",
                       "[load_engine]", ((int kN), kN), 4, 16) {
  Random random(kSeed);
  for (int run = 0; run < 40; ++run) {
    Bench<kN> bench({.latency = random.between(1, 40), .beats_of_8 = random.between(1, 8)});
    reference::LoadBlock block = tile(random.between(1, 12), 0x1'0000 + random.below(128));
    block.row_stride = random.below(100);
    block.cols = random.between(1, 80);
    Expected all;
    all.add(block, kN);
    // The beat that fails, and the row that it belongs to.
    int beats = 0;
    for (const auto& burst : all.bursts) {
      beats += static_cast<int>(burst.last / kN - burst.first / kN + 1);
    }
    const int failing = random.between(0, beats - 1);
    bench.traffic.fail_beat(failing);
    std::uint64_t row_address = 0;
    int seen = 0;
    for (const auto& burst : all.bursts) {
      if (seen <= failing) row_address = burst.row_address;
      seen += static_cast<int>(burst.last / kN - burst.first / kN + 1);
    }
    bench.traffic.load({.block = tile(0 + 1), .signal = 0});
    const unsigned index = bench.traffic.load({.block = block, .signal = kCompute});
    INFO("N " << kN << ", run " << run << ", seed " << kSeed);
    // The first block has its own beats before.
    Expected first;
    first.add(tile(1), kN);
    int first_beats = 0;
    for (const auto& burst : first.bursts) {
      first_beats += static_cast<int>(burst.last / kN - burst.first / kN + 1);
    }
    bench.traffic.fail_beat(first_beats + failing);
    for (int i = 0; i < 20'000 && bench.traffic.faults().empty(); ++i) bench.clock();
    REQUIRE(bench.traffic.faults().size() == 1);
    CHECK(bench.traffic.faults()[0].code == kernels::kFaultReadError);
    CHECK(bench.traffic.faults()[0].command == index);
    CHECK(bench.traffic.faults()[0].address == row_address);
    bench.clock(60);
    CHECK(bench.traffic.faults().size() == 1);
    CHECK(bench.traffic.given().empty());
    const auto& words = bench.traffic.words();
    for (std::size_t i = first.words.size(); i < words.size(); ++i) {
      CHECK(words[i].word == all.words[i - first.words.size()]);
    }
    CHECK(words.size() < first.words.size() + all.words.size());
    check_stop(bench);
  }
}

TEMPLATE_TEST_CASE_SIG(
    "stop drops what is under way at any time, and takes the beats that are owed", "[load_engine]",
    ((int kN), kN), 4, 16) {
  Random random(kSeed);
  for (int run = 0; run < 60; ++run) {
    Bench<kN> bench({.latency = random.between(1, 80),
                     .ready_of_8 = random.between(1, 8),
                     .beats_of_8 = random.between(1, 8)});
    for (int i = 0; i < 6; ++i) {
      bench.traffic.load({.block = random_block(random, kN), .signal = kStore});
    }
    INFO("N " << kN << ", run " << run << ", seed " << kSeed);
    bench.clock(random.between(0, 300));
    if (!bench.traffic.commands_left() && bench.engine->outputs().idle) continue;
    check_stop(bench);
  }
}

}  // namespace
}  // namespace systole::tests
