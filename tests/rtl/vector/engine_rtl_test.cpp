// The vector engine's RTL against its C++, all ports, every edge; and both against what the
// interpreter says that memory must hold.

#include <Vvector_engine_4.h>

#include <catch2/catch.hpp>

#include "tests/rtl/lockstep.h"
#include "tests/rtl/vector/engine_top.h"
#include "tests/rtl/vector/engine_world.h"
#include "tests/vector/training_programs.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0343;
constexpr std::uint64_t kEnd = 100'000;
using World = EngineWorld<4>;
using Both = Lockstep<VectorEngineTop<Vvector_engine_4, 4>>;

/// Clocks until the world is done, or is idle after the stop that follows a fault.
void run(Both& both, World& world, std::uint64_t most_clocks = kEnd) {
  const std::uint64_t limit = world.clocks + most_clocks;
  while (!world.is_done() && world.clocks < limit && both.mismatches() == 0) {
    both.clock(world.clock());
    if (world.fault.raised) world.stop = true;
    if (world.stop && world.is_idle()) break;
  }
  INFO(both.first_mismatch().message());
  REQUIRE(both.mismatches() == 0);
  REQUIRE((most_clocks < kEnd || world.clocks < limit));
}

/// After a run that ended in a fault, or in order.
void restart(Both& both, World& world) {
  if (world.stop) both.clock(world.clock());
  world.restart();
  world.faults = 0;
  world.fault = {};
  world.memory.fail_at(~std::uint64_t{0});
  world.open_all();
  both.clock(world.clock());
}

std::unique_ptr<Both> start() {
  auto both = std::make_unique<Both>(kSeed);
  both->clock({}, true);
  both->compare_from_here();
  return both;
}

TEST_CASE("the vector engine runs random programs on tensors, stops and goes on, in C++ and RTL",
          "[vector]") {
  const auto both = start();
  Random random(kSeed);
  int faults = 0;
  for (int episode = 0; episode < 40; ++episode) {
    INFO("seed " << kSeed << ", episode " << episode);
    World world(random.bits(),
                {.chance_of_16 = static_cast<std::uint32_t>(random.between(3, 16)),
                 .latency = random.below(80),
                 .error_at = random.below(2) == 0 ? random.below(400) : ~0ULL},
                random.below(4) != 0);
    if (random.below(4) == 0) {
      world.windows[0].end = kernels::Address::from(World::kPrograms + random.below(0x400));
    }
    const bool is_cut = random.below(6) == 0;
    both->clock({}, true);
    for (int round = 0; round < 2; ++round) {
      world.clear_registers();
      for (int i = 0; i < 3; ++i) world.add_random();
      run(*both, world, is_cut ? random.below(2000) : kEnd);
      if (is_cut) break;
      if (!world.stop) CHECK(world.is_right());
      faults += world.faults;
      restart(*both, world);
    }
  }
  CHECK(faults > 8);
}

TEST_CASE("the vector engine runs random programs on words of its neighbours, in C++ and RTL",
          "[vector][link]") {
  const auto both = start();
  Random random(kSeed + 1);
  int faults = 0;
  std::uint64_t waits = 0;
  for (int episode = 0; episode < 60; ++episode) {
    INFO("seed " << kSeed + 1 << ", episode " << episode);
    World world(random.bits(),
                {.chance_of_16 = static_cast<std::uint32_t>(random.between(3, 16)),
                 .latency = random.below(80),
                 .error_at = random.below(4) == 0 ? random.below(400) : ~0ULL},
                random.below(4) != 0);
    world.links = true;
    if (random.below(4) == 0) world.patience = random.below(20);
    both->clock({}, true);
    for (int round = 0; round < 2; ++round) {
      world.clear_registers();
      for (int i = 0; i < 4; ++i) world.add_random();
      run(*both, world);
      if (!world.stop) CHECK(world.is_right());
      faults += world.faults;
      restart(*both, world);
    }
    waits += world.link_waits;
  }
  CHECK(faults > 8);
  CHECK(waits > 1000);
}

TEST_CASE("the vector engine refuses runs without a program and illegal instructions, and goes on",
          "[vector]") {
  const auto both = start();
  World world(kSeed, {}, false);
  world.clear_registers();
  world.push(run_command(17, {.words = 1}, 4));  // 16 instructions are there
  run(*both, world);
  CHECK(world.faults == 1);
  CHECK(world.fault.code.value() == kernels::kFaultIllegalCommand);
  restart(*both, world);
  const std::uint64_t fine =
      vector::Instruction{.operation = vector::VectorOperation::kOr, .writes = true}.encode();
  std::vector<std::uint64_t> illegal_codes = {
      fine | 21,         fine | 1 << 5,      fine | 5ULL << 31,
      fine | 3ULL << 38, fine | 11ULL << 38, fine | 15ULL << 38,
      fine | 1ULL << 42, fine | 1ULL << 63,  (fine & ~(63ULL << 14)) | 12ULL << 38};
  for (const int operand : {8, 14, 20}) {
    for (const std::uint64_t source : {24, 28, 31}) {
      illegal_codes.push_back((fine & ~(63ULL << operand)) | source << operand);
    }
  }
  for (const std::uint64_t code : illegal_codes) {
    INFO("instruction " << std::hex << code);
    const std::uint64_t address = World::kPrograms + 8;
    for (unsigned i = 0; i < 16; ++i) {
      const std::uint64_t half_code = i < 8 ? fine : code;
      world.memory.at(address + i) = static_cast<std::uint8_t>(half_code >> 8 * (i % 8));
    }
    world.push(program_command(address, false, 2));
    run(*both, world);
    CHECK(world.faults == 1);
    CHECK(world.fault.code.value() == kernels::kFaultIllegalCommand);
    CHECK(world.fault.address.value() == address + 8);
    restart(*both, world);
  }
  world.clear_registers();
  world.add_random();
  run(*both, world);
  CHECK(world.is_right());
}

TEST_CASE("the vector engine says that it waits when a run lacks words", "[vector]") {
  World world(kSeed, {}, false);
  world.load(vector::relu());
  world.push(run_command(1, {.words = 1}, 4));
  for (int i = 0; i < 300; ++i) world.clock();
  CHECK(world.waits);
  CHECK_FALSE(world.is_idle());
  world.stop = true;
  for (int i = 0; i < 300 && !world.is_idle(); ++i) world.clock();
  CHECK(world.is_idle());
}

TEST_CASE("the vector engine waits while an input has a word that no run takes", "[vector]") {
  const bool is_behind = GENERATE(false, true);  // a program waits behind the stream
  const auto words = GENERATE(1U, 2U, 3U);
  const unsigned number = is_behind ? 0 : GENERATE(0U, 1U, 2U, 3U);
  INFO(words << " words of input " << number);
  World world(kSeed, {}, false);
  kernels::VectorStream stream{.address = kernels::Address::from(BusMemory<4>::kBase),
                               .row_stride = hls::UInt32(0),
                               .rows = hls::UInt16::from(words),
                               .cols = hls::UInt16(4),
                               .format = hls::UInt<2>(kernels::kStreamWord),
                               .broadcasts = hls::UInt1(0),
                               .command = hls::UInt16(0)};
  world.push(stream_command(stream, number, false));
  if (is_behind) world.load(vector::relu());
  for (int i = 0; i < 300; ++i) world.clock();
  CHECK(world.waits);
  CHECK_FALSE(world.is_idle());
  if (is_behind) return;
  vector::Program takes;  // the words, in a run behind
  takes.code = {{.operation = vector::VectorOperation::kOr,
                 .a = kernels::kSourceStream,
                 .in = static_cast<std::uint8_t>(number)}};
  if (number == 0) return;  // its program would come through that stream
  world.load(takes);
  world.push(run_command(1, {.words = words}, 4));
  for (int i = 0; i < 300; ++i) world.clock();
  CHECK(world.is_idle());
  CHECK(world.faults == 0);
}

/// Adam on `count` parameters: w, m and v in place, a gradient in `format`, a bf16 copy of w.
void add_adam(World& world, std::uint32_t count, int gradient_format) {
  const auto tensor = [&](std::uint64_t page, int format) {
    return kernels::VectorStream{
        .address = kernels::Address::from(BusMemory<4>::kBase + page * 0x4000),
        .row_stride = hls::UInt32(0),
        .rows = hls::UInt16(1),
        .cols = hls::UInt16::from(count),
        .format = hls::UInt<2>::from(static_cast<unsigned>(format)),
        .broadcasts = hls::UInt1(0),
        .command = hls::UInt16(0)};
  };
  // Small numbers of both signs, and v above 0.
  Random random(kSeed);
  const auto fill = [&](std::uint64_t page, bool positive) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto number = std::bit_cast<std::uint32_t>(
          (static_cast<float>(random.below(2001)) - (positive ? 0.0F : 1000.0F)) / 1024.0F);
      for (unsigned b = 0; b < 4; ++b) {
        const std::size_t place = page * 0x4000 + 4 * i + b;
        world.memory.bytes[place] = static_cast<std::uint8_t>(number >> 8 * b);
        world.expected[place] = world.memory.bytes[place];
      }
    }
  };
  for (const std::uint64_t page : {0, 1, 3}) fill(page, false);
  fill(2, true);
  world.load(vector::adam(
      {.rate = 0.001F, .one_less_beta1 = 0.1F, .one_less_beta2 = 0.001F, .epsilon = 1e-7F}));
  const auto m = tensor(1, kernels::kStreamWord);
  const auto v = tensor(2, kernels::kStreamWord);
  const auto w = tensor(3, kernels::kStreamWord);
  world.run({.words = (count + 3) / 4}, {tensor(0, gradient_format), m, v, w},
            {m, v, w, tensor(4, kernels::kStreamHalf)});
}

TEST_CASE("Adam's update in place is the interpreter's, 18 clocks a word", "[vector]") {
  const int format = GENERATE(kernels::kStreamWord, kernels::kStreamBf16);
  const auto both = start();
  World world(kSeed, {.latency = 20}, false);
  both->clock({}, true);
  world.clear_registers();
  run(*both, world);
  const std::uint64_t busy = world.busy_clocks;
  const std::uint64_t clocks = world.clocks;
  constexpr std::uint32_t kCount = 2048;
  add_adam(world, kCount, format);
  run(*both, world);
  CHECK(world.is_right());
  // 512 words; the rest is the way of the first words from memory, and of the last ones back.
  const bool is_bf16 = format == kernels::kStreamBf16;
  CHECK(world.busy_clocks - busy == 18 * kCount / 4 + (is_bf16 ? 78 : 222));
  CHECK(world.clocks - clocks == 18 * kCount / 4 + (is_bf16 ? 264 : 408));
}

}  // namespace
}  // namespace systole::tests
