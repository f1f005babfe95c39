#include "host/compiler/schedule/memory_uses.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "host/compiler/schedule/engine_streams.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using Spans = std::vector<MemorySpan>;
using tests::Random;

Step::After after(std::int32_t load, std::int32_t store, std::int32_t vector) {
  Step::After steps = Step::kNoStep;
  steps[kLoads] = load;
  steps[kStores] = store;
  steps[kVectors] = vector;
  return steps;
}
constexpr std::int32_t kNone = Step::kNothing;

}  // namespace

TEST_CASE("a step waits for the writers of what it reads", "[memory_uses]") {
  MemoryUses uses;
  uses.note(kStores, 4, {}, Spans{{100, 200}});
  uses.note(kVectors, 7, Spans{{0, 1000}}, Spans{{150, 300}});
  CHECK(uses.before(kLoads, Spans{{120, 130}}, {}) == after(kNone, 4, kNone));
  CHECK(uses.before(kLoads, Spans{{199, 201}}, {}) == after(kNone, 4, 7));
  CHECK(uses.before(kLoads, Spans{{200, 300}}, {}) == after(kNone, kNone, 7));
  CHECK(uses.before(kLoads, Spans{{0, 100}, {300, 400}}, {}) == Step::kNoStep);
  CHECK(uses.before(kLoads, Spans{{150, 150}}, {}) == Step::kNoStep);
}

TEST_CASE("a step waits for the readers of what it writes", "[memory_uses]") {
  MemoryUses uses;
  uses.note(kLoads, 2, Spans{{100, 200}}, {});
  uses.note(kVectors, 3, Spans{{180, 220}}, {});
  CHECK(uses.before(kStores, {}, Spans{{190, 191}}) == after(2, kNone, 3));
  CHECK(uses.before(kStores, Spans{{190, 191}}, {}) == Step::kNoStep);
  CHECK(uses.before(kVectors, {}, Spans{{210, 211}}) == Step::kNoStep);
}

TEST_CASE("only a vector step waits for its own engine, after it has written", "[memory_uses]") {
  MemoryUses uses;
  uses.note(kStores, 4, {}, Spans{{100, 200}});
  uses.note(kVectors, 5, Spans{{400, 500}}, Spans{{100, 200}});
  CHECK(uses.before(kStores, {}, Spans{{100, 200}}) == after(kNone, kNone, 5));
  CHECK(uses.before(kVectors, Spans{{100, 101}}, {}) == after(kNone, 4, 5));
  CHECK(uses.before(kVectors, {}, Spans{{100, 101}}) == after(kNone, 4, 5));
  CHECK(uses.before(kVectors, {}, Spans{{400, 401}}) == Step::kNoStep);
}

TEST_CASE("dependences are those of every byte by itself", "[memory_uses]") {
  constexpr std::uint32_t kBytes = 60;
  Random random(5);
  MemoryUses uses;
  std::array<Step::After, kBytes> read{}, written{};
  read.fill(Step::kNoStep);
  written.fill(Step::kNoStep);
  std::array<std::int32_t, kEngines> next{};
  for (int i = 0; i < 2000; ++i) {
    const Engine engine = kAllEngines[random.below(kEngines)];
    const auto spans = [&] {
      Spans made(random.below(3));
      for (MemorySpan& span : made) {
        span.first = random.below(kBytes);
        span.end = span.first + random.below(static_cast<std::uint32_t>(kBytes - span.first));
      }
      return made;
    };
    const Spans reads = spans(), writes = spans();
    Step::After expected = Step::kNoStep;
    const auto wait = [&](const Step::After& steps, bool for_own) {
      for (const Engine other : kAllEngines) {
        if (other == engine && !for_own) continue;
        expected[other] = std::max(expected[other], steps[other]);
      }
    };
    for (const MemorySpan& span : reads) {
      for (auto at = span.first; at < span.end; ++at) wait(written[at], engine == kVectors);
    }
    for (const MemorySpan& span : writes) {
      for (auto at = span.first; at < span.end; ++at) {
        wait(written[at], engine == kVectors);
        wait(read[at], false);
      }
    }
    REQUIRE(uses.before(engine, reads, writes) == expected);
    const std::int32_t step = next[engine]++;
    uses.note(engine, step, reads, writes);
    for (const MemorySpan& span : reads) {
      for (auto at = span.first; at < span.end; ++at) read[at][engine] = step;
    }
    for (const MemorySpan& span : writes) {
      for (auto at = span.first; at < span.end; ++at) written[at][engine] = step;
    }
  }
}

TEST_CASE("columns of a matrix that is followed do not meet other columns", "[memory_uses]") {
  MemoryUses uses;
  uses.follow_columns(1000, 1000 + 8 * 100, 100);
  uses.note(kVectors, 3, {}, Spans{{1000, 1000 + 7 * 100 + 40, 100}});  // columns 0 to 39
  uses.note(kVectors, 4, {}, Spans{{1040, 1040 + 7 * 100 + 60, 100}});  // columns 40 to 99
  CHECK(uses.before(kLoads, Spans{{1200, 1200 + 3 * 100 + 40, 100}}, {}) == after(kNone, kNone, 3));
  CHECK(uses.before(kLoads, Spans{{1239, 1239 + 3 * 100 + 2, 100}}, {}) == after(kNone, kNone, 4));
  CHECK(uses.before(kLoads, Spans{{1350, 1360}}, {}) == after(kNone, kNone, 4));
  // Another stride, whole rows, and rows that begin before the matrix: all columns.
  CHECK(uses.before(kLoads, Spans{{1000, 1000 + 50 + 10, 50}}, {}) == after(kNone, kNone, 4));
  CHECK(uses.before(kLoads, Spans{{1300, 1500}}, {}) == after(kNone, kNone, 4));
  CHECK(uses.before(kLoads, Spans{{900, 900 + 2 * 100 + 10, 100}}, {}) == after(kNone, kNone, 4));
  CHECK(uses.before(kLoads, Spans{{1800, 1900}}, {}) == Step::kNoStep);
  // Spans that lie elsewhere, too, meet each other there.
  uses.note(kStores, 7, {}, Spans{{1700, 1900}});
  CHECK(uses.before(kLoads, Spans{{1850, 1860}}, {}) == after(kNone, 7, kNone));
  CHECK(uses.before(kLoads, Spans{{1000, 1010}}, {}) == after(kNone, 7, 3));
}

TEST_CASE("dependences by columns leave out no byte", "[memory_uses]") {
  constexpr std::uint32_t kBytes = 70;
  Random random(6);
  MemoryUses uses;
  uses.follow_columns(5, 5 + 4 * 10, 10);
  uses.follow_columns(30, 30 + 4 * 7, 7);
  std::array<Step::After, kBytes> written{};
  written.fill(Step::kNoStep);
  std::array<std::int32_t, kEngines> next{};
  for (int i = 0; i < 3000; ++i) {
    const Engine engine = kAllEngines[random.below(kEngines)];
    MemorySpan span;
    const std::uint64_t stride = std::array{7, 10, 0}[random.below(3)];
    const std::uint64_t row = 1 + random.below(stride == 0 ? 12 : static_cast<unsigned>(stride));
    const std::uint64_t rows = stride == 0 ? 1 : 1 + random.below(3);
    span.first = random.below(20) + (random.below(2) == 0 ? 0 : 15);
    span.end = span.first + (rows - 1) * stride + row;
    span.stride = rows == 1 ? 0 : stride;
    const auto each_byte = [&](const auto& work) {
      for (std::uint64_t r = 0; r < rows; ++r) {
        for (std::uint64_t b = 0; b < row; ++b) work(written.at(span.first + r * stride + b));
      }
    };
    const Step::After found = uses.before(engine, Spans{span}, {});
    each_byte([&](const Step::After& steps) {
      for (const Engine other : kAllEngines) {
        if (other != engine) REQUIRE(found[other] >= steps[other]);
      }
    });
    if (random.below(2) == 0) continue;
    const std::int32_t step = next[engine]++;
    uses.note(engine, step, {}, Spans{span});
    each_byte([&](Step::After& steps) { steps[engine] = step; });
  }
}

TEST_CASE("the first command of a vector step waits and its last one signals", "[memory_uses]") {
  EngineStreams streams(Keep::kSteps);
  Step store;
  store.shape = encode(device::StoreShape{});
  store.command = encode(device::Store{});
  streams.add(kStores, store);
  Step vector;
  vector.before = {encode(device::VectorStream{.number = 1}), encode(device::VectorRun{})};
  vector.command = encode(device::VectorStream{.writes = true});
  vector.wait_for(kStores, 0);
  streams.add(kVectors, vector);
  vector.after = Step::kNoStep;
  vector.wait_for(kVectors, 0);
  streams.add(kVectors, vector);
  Step load;
  load.shape = encode(device::LoadShape{});
  load.command = encode(device::Load{});
  load.wait_for(kVectors, 1);
  streams.add(kLoads, load);

  const auto with = [](auto command, std::uint8_t wait, std::uint8_t signal) {
    return encode(command, {.wait = wait, .signal = signal});
  };
  using device::kLoadEngine, device::kStoreEngine, device::kVectorEngine;
  const std::vector<device::CommandWord> expected = {
      store.shape,
      with(device::Store{}, 0, kVectorEngine),
      with(device::VectorStream{.number = 1}, kStoreEngine, 0),
      encode(device::VectorRun{}),
      encode(device::VectorStream{.writes = true}),
      with(device::VectorStream{.number = 1}, kVectorEngine, 0),
      encode(device::VectorRun{}),
      with(device::VectorStream{.writes = true}, 0, kLoadEngine),
      load.shape,
      with(device::Load{}, kVectorEngine, 0)};
  CHECK(streams.commands() == expected);
  for (const device::CommandWord& command : expected) CHECK(device::is_legal(command, 4));
}

}  // namespace systole
