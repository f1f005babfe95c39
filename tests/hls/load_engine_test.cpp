// The load engine as native C++, against plain loops over memory.

#include "hls/kernels/load_engine.h"

#include <catch2/catch.hpp>
#include <memory>

#include "tests/support/load_traffic.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0041;
constexpr unsigned kCompute = 1 << kernels::kComputeBit;
constexpr unsigned kStore = 1 << kernels::kStoreBit;

template <int kN>
struct Bench {
  explicit Bench(const LoadPace& pace, std::uint64_t seed = kSeed)
      : engine(std::make_unique<kernels::LoadEngine<kN>>()), traffic(seed, pace) {
    engine->reset();
  }

  void clock() {
    shown = engine->outputs();
    engine->clock(traffic.next(shown));
  }
  void clock(int count) {
    for (int i = 0; i < count; ++i) clock();
  }
  /// Until the engine has done all commands; false where it does not come to an end.
  bool finish(int limit = 100'000) {
    for (int i = 0; i < limit; ++i) {
      clock();
      if (!traffic.commands_left() && engine->outputs().idle) return true;
    }
    return false;
  }

  std::unique_ptr<kernels::LoadEngine<kN>> engine;
  LoadTraffic<kN> traffic;
  typename kernels::LoadEngine<kN>::Outputs shown;
};

struct Expected {
  std::vector<reference::LoadWord> words;
  std::vector<reference::LoadBurst> bursts;

  void add(const reference::LoadBlock& block, int array_size) {
    for (auto& word : reference::load_words(block, array_size, memory_byte)) words.push_back(word);
    for (auto& burst : reference::load_bursts(block, array_size)) bursts.push_back(burst);
  }
};

/// The first difference, or nothing.
template <int kN>
std::string difference(const LoadTraffic<kN>& traffic, const Expected& expected) {
  const auto& words = traffic.words();
  for (std::size_t i = 0; i < std::min(words.size(), expected.words.size()); ++i) {
    if (!(words[i].word == expected.words[i])) return "word " + std::to_string(i) + " differs";
  }
  if (words.size() != expected.words.size()) {
    return std::to_string(words.size()) + " words, not " + std::to_string(expected.words.size());
  }
  const auto& bursts = traffic.bursts();
  for (std::size_t i = 0; i < std::min(bursts.size(), expected.bursts.size()); ++i) {
    const auto& burst = expected.bursts[i];
    const auto beats = static_cast<int>(burst.last / kN - burst.first / kN + 1);
    if (bursts[i].address != burst.first || bursts[i].beats != beats) {
      return "burst " + std::to_string(i) + " differs";
    }
    if (burst.first / 4096 != burst.last / 4096 || beats > 16)
      return "an illegal burst is expected";
  }
  if (bursts.size() != expected.bursts.size()) {
    return std::to_string(bursts.size()) + " bursts, not " + std::to_string(expected.bursts.size());
  }
  return "";
}

template <int kN>
void check_random_blocks(int runs, reference::LoadBlock (*make)(Random&, int)) {
  Random random(kSeed + kN);
  for (int run = 0; run < runs; ++run) {
    const LoadPace pace{.latency = random.between(1, 80),
                        .ready_of_8 = random.between(1, 8),
                        .beats_of_8 = random.between(1, 8),
                        .command_of_8 = random.between(1, 8)};
    Bench<kN> bench(pace, random.bits());
    Expected expected;
    unsigned tokens[3] = {};
    for (int i = 0; i < 8; ++i) {
      const LoadCase load{.block = make(random, kN), .signal = random.below(4) << 1};
      bench.traffic.load(load);
      expected.add(load.block, kN);
      for (int e = 1; e < 3; ++e) tokens[e] += load.signal >> e & 1;
    }
    INFO("N " << kN << ", run " << run << ", seed " << kSeed + kN);
    REQUIRE(bench.finish());
    CHECK(difference(bench.traffic, expected) == "");
    CHECK(bench.traffic.beats_owed() == 0);
    CHECK(bench.traffic.faults().empty());
    for (const auto& token : bench.traffic.given()) {
      for (int e = 1; e < 3; ++e) tokens[e] -= token.engines >> e & 1;
    }
    CHECK((tokens[1] == 0 && tokens[2] == 0));
  }
}

TEMPLATE_TEST_CASE_SIG("load brings blocks of any shape and alignment as the oracle does",
                       "[load_engine]", ((int kN), kN), 4, 8, 16, 32) {
  check_random_blocks<kN>(60, random_block);
}

TEMPLATE_TEST_CASE_SIG("load brings patches of images as the oracle does", "[load_engine]",
                       ((int kN), kN), 4, 8, 16, 32) {
  check_random_blocks<kN>(60, random_patches);
}

reference::LoadBlock either(Random& random, int array_size) {
  return random.below(2) ? random_block(random, array_size) : random_patches(random, array_size);
}

TEST_CASE("load changes between blocks and patches", "[load_engine]") {
  check_random_blocks<16>(60, either);
}

reference::LoadBlock tile(int rows, std::uint64_t address = 0x1'0000) {
  reference::LoadBlock block;
  block.address = address;
  block.rows = rows;
  block.cols = 16;
  block.row_stride = 1024;
  block.buffer = reference::LoadBuffer::kWeights;
  block.element_bytes = 2;
  return block;
}

TEST_CASE("load hides 64 clocks of latency behind rows of two beats", "[load_engine]") {
  constexpr int kLatency = 64;
  constexpr int kRows = 1000;
  Bench<16> bench({.latency = kLatency});
  bench.traffic.load({.block = tile(kRows)});
  REQUIRE(bench.finish());
  const auto& words = bench.traffic.words();
  const auto& bursts = bench.traffic.bursts();
  REQUIRE(words.size() == kRows);
  CHECK(bursts.back().clock - bursts.front().clock <= 2 * kRows);
  CHECK(words.back().clock - words.front().clock == 2 * (kRows - 1));
  // From the command's arrival: shape and load, the first burst, its two beats, the word.
  CHECK(words.front().clock <= 2 + 6 + kLatency + 2 + 3);
}

TEST_CASE("load takes a row of one beat each clock", "[load_engine]") {
  constexpr int kRows = 1000;
  Bench<16> bench({.latency = 64});
  reference::LoadBlock block = tile(kRows);
  block.element_bytes = 1;
  bench.traffic.load({.block = block});
  REQUIRE(bench.finish());
  REQUIRE(bench.traffic.words().size() == kRows);
  CHECK(bench.traffic.words().back().clock - bench.traffic.words().front().clock == kRows - 1);
}

TEST_CASE("load spends at most one clock more on the end of an unaligned row", "[load_engine]") {
  constexpr int kRows = 500;
  for (const int offset : {1, 7, 15}) {
    Bench<16> bench({.latency = 64});
    reference::LoadBlock block = tile(kRows, 0x1'0000 + static_cast<unsigned>(offset));
    bench.traffic.load({.block = block});
    REQUIRE(bench.finish());
    const auto& words = bench.traffic.words();
    INFO("offset " << offset);
    // 32 bytes at an odd place are three beats.
    CHECK(words.back().clock - words.front().clock <= 4 * (kRows - 1));
  }
}

TEST_CASE("load goes on to the next block without a gap in the beats", "[load_engine]") {
  constexpr int kBlocks = 30;
  constexpr int kRows = 16;
  Bench<16> bench({.latency = 64});
  for (unsigned i = 0; i < kBlocks; ++i) {
    bench.traffic.load({.block = tile(kRows, 0x1'0000 + 32 * i), .signal = kCompute});
  }
  REQUIRE(bench.finish());
  const auto& words = bench.traffic.words();
  REQUIRE(words.size() == kBlocks * kRows);
  CHECK(words.back().clock - words.front().clock == 2 * (kBlocks * kRows - 1));
  REQUIRE(bench.traffic.given().size() == kBlocks);
  for (unsigned i = 0; i < kBlocks; ++i) {
    // The clock after the block's last word was shown, when it is in its buffer.
    CHECK(bench.traffic.given()[i].clock == words[(i + 1) * kRows - 1].clock + 1);
  }
}

TEST_CASE("a load waits for all its tokens, takes them at once, and says what it waits for",
          "[load_engine]") {
  Bench<4> bench({});
  const unsigned index =
      bench.traffic.load({.block = tile(3), .wait = kCompute | kStore, .signal = kStore});
  bench.clock(20);
  CHECK(bench.shown.waits);
  CHECK(bench.shown.waiting_command.value() == index);
  CHECK(bench.shown.wait_for_compute);
  CHECK(bench.shown.wait_for_store);
  bench.traffic.give_token(kernels::kStoreBit);
  bench.clock(20);
  CHECK(bench.shown.waits);
  CHECK_FALSE(bench.shown.wait_for_store);
  CHECK(bench.traffic.taken(kernels::kStoreBit) == 0);
  bench.traffic.give_token(kernels::kComputeBit);
  REQUIRE(bench.finish());
  CHECK(bench.traffic.taken(kernels::kComputeBit) == 1);
  CHECK(bench.traffic.taken(kernels::kStoreBit) == 1);
  REQUIRE(bench.traffic.given().size() == 1);
  CHECK(bench.traffic.given()[0].engines == kStore);
}

TEST_CASE("loads that wait for one token each take one each", "[load_engine]") {
  Bench<4> bench({});
  for (int i = 0; i < 5; ++i) bench.traffic.load({.block = tile(1), .wait = kCompute});
  for (int i = 0; i < 3; ++i) bench.traffic.give_token(kernels::kComputeBit);
  bench.clock(300);
  CHECK(bench.traffic.taken(kernels::kComputeBit) == 3);
  CHECK(bench.traffic.words().size() == 3 * 4);
  CHECK(bench.shown.waits);
}

TEST_CASE("a load that waits behind a block under way is no reason for a deadlock",
          "[load_engine]") {
  Bench<4> bench({.latency = 50});
  bench.traffic.load({.block = tile(1), .signal = kCompute});
  bench.traffic.load({.block = tile(1), .wait = kCompute});
  bench.clock(40);
  CHECK(bench.shown.wait_for_compute);
  CHECK_FALSE(bench.shown.waits);
  bench.clock(100);
  CHECK(bench.shown.waits);
}

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
  CHECK(bench.traffic.bursts().size() <= bursts + 1);
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
    block.row_stride = random.below(200);
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
