// The store engine against its oracle, in a world that keeps to its contract.

#include "hls/kernels/store_engine.h"

#include <catch2/catch.hpp>
#include <memory>

#include "tests/support/store_world.h"

namespace systole::tests {
namespace {

constexpr int kPatience = 200'000;

template <int kN, int kBus>
void run(kernels::StoreEngine<kN, true, kBus>& engine, StoreWorld<kN, kBus>& world) {
  for (int clock = 0; clock < kPatience; ++clock) {
    const auto in = world.inputs();
    const auto out = engine.outputs();
    if (world.done() && out.idle) return;
    engine.clock(in);
    world.observe(in, out);
  }
  FAIL("the engine does not come to rest");
}

template <int kN, int kBus = kN>
void check_random_stores(std::uint64_t seed, const StoreWorldOptions& options) {
  INFO("seed " << seed << ", N " << kN << ", bus " << kBus);
  auto engine = std::make_unique<kernels::StoreEngine<kN, true, kBus>>();
  auto world = std::make_unique<StoreWorld<kN, kBus>>(seed, options);
  engine->reset();
  for (int nth = 0; nth < 60; ++nth) world->add(random_store<kN>(world->random(), nth));
  run(*engine, *world);
  CHECK(world->difference() == "");
  CHECK(world->faults == 0);
  CHECK(world->tokens_given[0] == world->tokens_expected[0]);
  CHECK(world->tokens_given[1] == world->tokens_expected[1]);
}

TEST_CASE("stores of every format and alignment write the oracle's bytes", "[store_engine]") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    check_random_stores<4>(seed, {});
    check_random_stores<8>(seed, {});
    check_random_stores<16>(seed, {});
    check_random_stores<32>(seed, {});
  }
}

TEST_CASE("bus stalls do not change what is written", "[store_engine]") {
  for (std::uint64_t seed = 11; seed <= 14; ++seed) {
    check_random_stores<16>(seed, {.burst_ready = 4, .write_ready = 12});
    check_random_stores<16>(seed, {.burst_ready = 15, .write_ready = 5, .latency = 40});
    check_random_stores<16>(seed, {.response = 3, .command = 6, .token = 2, .latency = 90});
    check_random_stores<4>(seed, {.burst_ready = 8, .write_ready = 8, .response = 8, .latency = 1});
    check_random_stores<32>(seed, {.burst_ready = 8, .write_ready = 8, .response = 8});
  }
}

TEST_CASE("a wider bus takes the same bytes", "[store_engine]") {
  for (std::uint64_t seed = 21; seed <= 24; ++seed) {
    check_random_stores<4, 8>(seed, {});
    check_random_stores<4, 16>(seed, {.burst_ready = 8, .write_ready = 8, .response = 8});
    check_random_stores<8, 32>(seed, {.burst_ready = 4, .write_ready = 12, .latency = 40});
    check_random_stores<16, 32>(seed, {.burst_ready = 15, .write_ready = 5});
    check_random_stores<16, 64>(seed, {});
  }
}

/// `count` blocks of 16 x 16 in a row, on a bus that is always ready.
template <int kBus = 16>
std::unique_ptr<StoreWorld<16, kBus>> stream(device::StoreFormat format, int count,
                                             int row_stride) {
  auto engine = std::make_unique<kernels::StoreEngine<16, true, kBus>>();
  auto world = std::make_unique<StoreWorld<16, kBus>>(7, StoreWorldOptions{.latency = 80});
  engine->reset();
  for (int nth = 0; nth < count; ++nth) {
    StoreTask task;
    task.shape = {.rows = 16, .cols = 16, .row_stride = static_cast<std::uint32_t>(row_stride)};
    task.scale.scale = 0x3f80;
    task.store.address = static_cast<std::uint64_t>(nth) * 0x10000;
    task.store.sum_row = static_cast<std::uint16_t>(nth * 16);
    task.store.format = format;
    world->add(task);
  }
  run(*engine, *world);
  CHECK(world->difference() == "");
  return world;
}

TEST_CASE("aligned rows leave a beat every clock, int8 rows every other", "[store_engine]") {
  using device::StoreFormat;
  constexpr std::uint64_t kCommands = 20;
  for (const StoreFormat format :
       {StoreFormat::kWord32, StoreFormat::kFp32FromInt32, StoreFormat::kBf16,
        StoreFormat::kBf16Stochastic, StoreFormat::kInt8FromFp32, StoreFormat::kInt8FromInt32}) {
    const auto world = stream(format, kCommands, 1024);
    const bool is_int8 =
        format == StoreFormat::kInt8FromFp32 || format == StoreFormat::kInt8FromInt32;
    INFO("format " << static_cast<int>(format));
    const std::uint64_t clocks = world->last_beat - world->first_beat + 1;
    CHECK(clocks == (is_int8 ? 2 * world->beats - 1 : world->beats));
    CHECK(world->bursts == kCommands * 16);
  }
}

TEST_CASE("a wider bus takes a row in fewer beats", "[store_engine]") {
  using device::StoreFormat;
  constexpr std::uint64_t kRows = 20 * 16;
  CHECK(stream(StoreFormat::kBf16, 20, 1024)->beats == 2 * kRows);
  CHECK(stream<32>(StoreFormat::kBf16, 20, 1024)->beats == kRows);
  CHECK(stream<64>(StoreFormat::kWord32, 20, 1024)->beats == kRows);
  // As fast as the lanes, which convert 16 bytes a clock.
  const auto world = stream<64>(StoreFormat::kWord32, 20, 1024);
  CHECK(world->last_beat - world->first_beat == 4 * (kRows - 1));
}

TEST_CASE("the first beat leaves 15 clocks after the store was taken", "[store_engine]") {
  const auto world = stream(device::StoreFormat::kWord32, 1, 64);
  constexpr std::uint64_t kStoreTakenAt = 2;  // behind its shape, a command every other clock
  CHECK(world->first_beat - kStoreTakenAt == 15);
}

TEST_CASE("a waiting store takes its tokens together once all have arrived", "[store_engine]") {
  kernels::StoreEngine<4> engine;
  StoreWorld<4> world(3, {.token = 0});
  engine.reset();
  StoreTask task;
  task.store.address = 64;
  task.tokens = {.wait = device::kLoadEngine | device::kComputeEngine, .signal = 0};
  world.add(task);
  for (int clock = 0; clock < 100; ++clock) {
    auto in = world.inputs();
    in.tokens = clock < 50 ? hls::UInt<3>(1) : hls::UInt<3>(3);
    const auto out = engine.outputs();
    INFO("clock " << clock);
    const bool waits = clock >= 4 && clock <= 50;
    CHECK(static_cast<bool>(out.waits) == waits);
    if (waits) CHECK(out.waiting_command.value() == 1);
    CHECK(static_cast<bool>(out.wait_for_compute) == waits);
    CHECK(!out.wait_for_load);
    CHECK(out.taken.value() == (clock == 51 ? 3 : 0));
    engine.clock(in);
    if (clock != 51) world.observe(in, out);
  }
  CHECK(engine.outputs().idle.value() == 1);
}

/// Four rows of 16 words across a 4 KiB border that only its lower side may be written.
TEST_CASE("a burst outside the windows is not written, and everything after it is dropped",
          "[store_engine]") {
  auto engine = std::make_unique<kernels::StoreEngine<16>>();
  auto world = std::make_unique<StoreWorld<16>>(5, StoreWorldOptions{});
  engine->reset();
  kernels::Windows windows;
  for (int i = 0; i < kernels::kWindowCount; ++i) windows[i].open = hls::UInt1(0);
  windows[2] = {.base = 0x1000, .end = 0x2000, .open = hls::UInt1(1)};
  world->set_windows(windows);
  StoreTask task;
  task.shape = {.rows = 4, .cols = 16, .row_stride = 64};
  task.store.address = 0x2000 - 64 - 36;  // one row inside, one half inside, two outside
  world->add(task);
  task.store.address = 0x1000;
  world->add(task);
  for (int clock = 0; clock < 300; ++clock) {
    const auto in = world->inputs();
    const auto out = engine->outputs();
    engine->clock(in);
    world->observe(in, out);
    if (out.fault.raised) world->stop();
  }
  REQUIRE(world->faults == 1);
  CHECK(world->fault.code.value() == kernels::kFaultWriteWindow);
  CHECK(world->fault.address.value() == 0x2000);
  CHECK(world->fault.command.value() == 1);
  CHECK(engine->outputs().idle.value() == 1);
  CHECK(world->memory.size() == 64 + 36);
  for (const auto& [address, byte] : world->memory) CHECK(world->expected[address] == byte);

  world->go_on();
  task.store.address = 0x1800;
  world->restart();
  world->add(task);
  run(*engine, *world);
  CHECK(world->difference() == "");
}

TEST_CASE("an error from memory is a fault with its burst's address", "[store_engine]") {
  auto engine = std::make_unique<kernels::StoreEngine<8>>();
  auto world = std::make_unique<StoreWorld<8>>(5, StoreWorldOptions{.error_burst = 2});
  engine->reset();
  StoreTask task;
  task.shape = {.rows = 4, .cols = 8, .row_stride = 100};
  task.store.address = 0x10'0000'0030;
  task.tokens.signal = device::kLoadEngine;
  world->add(task);
  run(*engine, *world);
  CHECK(world->faults == 1);
  CHECK(world->fault.code.value() == kernels::kFaultWriteError);
  CHECK(world->fault.address.value() == 0x10'0000'0030 + 200);
  CHECK(world->fault.command.value() == 1);
  CHECK(world->tokens_given[0] == 0);
}

TEST_CASE("stopped at any clock, the engine finishes its offered bursts and is ready again",
          "[store_engine]") {
  for (int stop_at = 5; stop_at < 200; ++stop_at) {
    INFO("stopped at clock " << stop_at);
    auto engine = std::make_unique<kernels::StoreEngine<8>>();
    auto world = std::make_unique<StoreWorld<8>>(
        static_cast<std::uint64_t>(stop_at),
        StoreWorldOptions{.burst_ready = 6, .write_ready = 9, .command = 8, .latency = 20});
    engine->reset();
    for (int nth = 0; nth < 12; ++nth) {
      StoreTask task = random_store<8>(world->random(), nth);
      task.tokens = {};
      world->add(task);
    }
    bool was_offered = false;
    for (int clock = 0; clock < kPatience; ++clock) {
      const auto in = world->inputs();
      const auto out = engine->outputs();
      if (clock > stop_at && world->done() && out.idle) break;
      if (clock > stop_at + 1) CHECK((was_offered || !out.burst.valid));
      was_offered = out.burst.valid && !in.burst_ready;
      engine->clock(in);
      world->observe(in, out);
      if (clock == stop_at) world->stop();
    }
    REQUIRE(engine->outputs().idle.value() == 1);
    CHECK(world->no_beats_owed());
    for (const auto& [address, byte] : world->memory) CHECK(world->expected.at(address) == byte);

    world->go_on();
    world->restart();
    StoreTask task = random_store<8>(world->random(), 20);
    task.tokens = {.wait = 0, .signal = device::kLoadEngine | device::kComputeEngine};
    task.scale.seed = 5;
    world->add(task);
    run(*engine, *world);
    CHECK(world->difference() == "");
    CHECK(world->tokens_given[0] == 1);
    CHECK(world->tokens_given[1] == 1);
  }
}

}  // namespace
}  // namespace systole::tests
