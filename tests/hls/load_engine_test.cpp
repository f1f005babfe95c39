// The load engine as native C++, against plain loops over memory.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/load_bench.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0041;
constexpr unsigned kCompute = 1 << kernels::kComputeBit;
constexpr unsigned kStore = 1 << kernels::kStoreBit;

/// The first difference, or nothing.
template <int kN, int kBus>
std::string difference(const LoadTraffic<kN, kBus>& traffic, const Expected& expected) {
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
    const auto beats = static_cast<int>(burst.last / kBus - burst.first / kBus + 1);
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

template <int kN, int kBus = kN>
void check_random_blocks(int runs, reference::LoadBlock (*make)(Random&, int)) {
  Random random(kSeed + kN);
  for (int run = 0; run < runs; ++run) {
    const LoadPace pace{.latency = random.between(1, 80),
                        .ready_of_8 = random.between(1, 8),
                        .beats_of_8 = random.between(1, 8),
                        .command_of_8 = random.between(1, 8)};
    Bench<kN, kBus> bench(pace, random.bits());
    Expected expected;
    unsigned tokens[3] = {};
    for (int i = 0; i < 8; ++i) {
      const LoadCase load{.block = make(random, kN), .signal = random.below(4) << 1};
      bench.traffic.load(load);
      expected.add(load.block, kN, kBus);
      for (int e = 1; e < 3; ++e) tokens[e] += load.signal >> e & 1;
    }
    INFO("N " << kN << ", bus " << kBus << ", run " << run << ", seed " << kSeed + kN);
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

TEMPLATE_TEST_CASE_SIG("load brings the same blocks and patches over a wider bus", "[load_engine]",
                       ((int kN, int kBus), kN, kBus), (4, 8), (4, 16), (8, 32), (16, 32), (16, 64),
                       (32, 128)) {
  check_random_blocks<kN, kBus>(80, either);
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
  CHECK(words.front().clock <= 2 + 7 + kLatency + 2 + 3);
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

/// Clocks from the first word of a block to its last one, on a bus that is never idle.
template <int kBus>
int clocks_between_words(const reference::LoadBlock& block, std::size_t words) {
  Bench<16, kBus> bench({.latency = 64});
  bench.traffic.load({.block = block});
  REQUIRE(bench.finish());
  REQUIRE(bench.traffic.words().size() == words);
  return bench.traffic.words().back().clock - bench.traffic.words().front().clock;
}

TEST_CASE("a wider bus brings words of bf16 one a clock", "[load_engine]") {
  constexpr int kRows = 1000;
  CHECK(clocks_between_words<32>(tile(kRows), kRows) == kRows - 1);
  CHECK(clocks_between_words<64>(tile(kRows), kRows) == kRows - 1);
  reference::LoadBlock longer = tile(100);
  longer.cols = 16 * 8;
  longer.row_stride = 2 * 16 * 8;
  CHECK(clocks_between_words<16>(longer, 800) == 2 * 799);
  CHECK(clocks_between_words<32>(longer, 800) == 799);
  CHECK(clocks_between_words<64>(longer, 800) == 799);  // two words a beat, one a clock
  longer.element_bytes = 4;
  longer.buffer = reference::LoadBuffer::kAccumulators;
  CHECK(clocks_between_words<32>(longer, 800) == 2 * 799);
  CHECK(clocks_between_words<64>(longer, 800) == 799);
}

TEST_CASE("load spends at most one extra clock on the end of an unaligned row", "[load_engine]") {
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

TEST_CASE("load continues with the next block without a gap between beats", "[load_engine]") {
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

TEST_CASE("a load that waits for a running block does not cause a deadlock", "[load_engine]") {
  Bench<4> bench({.latency = 50});
  bench.traffic.load({.block = tile(1), .signal = kCompute});
  bench.traffic.load({.block = tile(1), .wait = kCompute});
  bench.clock(40);
  CHECK(bench.shown.wait_for_compute);
  CHECK_FALSE(bench.shown.waits);
  bench.clock(100);
  CHECK(bench.shown.waits);
}

TEST_CASE("load counts the clocks in which it waits for the bus, for data, and is busy",
          "[load_engine]") {
  Bench<16> bench({.latency = 30, .ready_of_8 = 3, .beats_of_8 = 4});
  bench.traffic.load({.block = tile(200)});
  int not_taken = 0;
  int wait_for_bus = 0;
  int wait_for_data = 0;
  int busy = 0;
  int first_busy = 0;
  while (bench.traffic.commands_left() || !bench.engine->outputs().idle) {
    const std::size_t bursts = bench.traffic.bursts().size();
    bench.clock();
    not_taken += bench.shown.burst.valid && bench.traffic.bursts().size() == bursts;
    wait_for_bus += static_cast<bool>(bench.shown.wait_for_bus);
    wait_for_data += static_cast<bool>(bench.shown.wait_for_data);
    busy += static_cast<bool>(bench.shown.busy);
    if (busy == 1 && first_busy == 0) first_busy = bench.traffic.now();
  }
  REQUIRE(bench.traffic.words().size() == 200);
  CHECK(wait_for_bus == not_taken);
  CHECK(not_taken > 100);
  const int last_word = bench.traffic.words().back().clock;
  CHECK(busy == last_word - first_busy + 1);
  CHECK(first_busy < bench.traffic.bursts().front().clock);
  // Every clock takes a beat or waits for one, but for those before the first segment and after
  // the last beat.
  const int in_between = busy - wait_for_data - bench.traffic.beats_taken();
  CHECK((0 <= in_between && in_between <= 8));
}

TEST_CASE("patches of one line each arrive at one beat a clock", "[load_engine]") {
  // 3 x 3 patches of 8 channels of bf16: three lines of 48 bytes, which are three beats each.
  constexpr int kPixels = 30 * 30;
  reference::LoadBlock block = tile(kPixels, 0x1'0000);
  block.has_patches = true;
  block.patches = {.height = 32,
                   .width = 32,
                   .pixel_bytes = 16,
                   .out_height = 30,
                   .out_width = 30,
                   .kernel_height = 3,
                   .kernel_width = 3};
  block.cols = 3 * 3 * 8;
  Bench<16> bench({.latency = 64});
  bench.traffic.load({.block = block});
  REQUIRE(bench.finish());
  const auto& words = bench.traffic.words();
  REQUIRE(words.size() == kPixels * 5);
  // Nine beats a patch; all lines start at a chunk.
  CHECK(words.back().clock - words.front().clock <= 9 * kPixels);
}

}  // namespace
}  // namespace systole::tests
