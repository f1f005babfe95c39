// The verification finds devices that are wrong in a single bit, once.
#include "sim/verify/verification.h"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <utility>

#include "sim/device/lockstep_device.h"
#include "sim/device/native_accelerator_clock.h"
#include "tests/sim/flawed_device.h"

namespace systole {
namespace {

using namespace verify;

using tests::Flaw;

/// The multiply-add in ten stages: its halves are pipelines of their own.
using Deep = sim::NativeAccelerator<4, true, 4, 10>;

template <Flaw kFlaw>
using Flawed = tests::Flawed<sim::NativeAccelerator<4>, kFlaw>;

template <Flaw kFlaw>
DeviceMaker maker() {
  return [](const Case& which, DeviceMemory& memory) -> std::unique_ptr<sim::DevicePort> {
    return std::make_unique<sim::DeviceHarness<Flawed<kFlaw>>>(
        std::make_unique<Flawed<kFlaw>>(), memory, which.behaviour, which.harness);
  };
}

DeviceMaker deep_maker() {
  return [](const Case& which, DeviceMemory& memory) -> std::unique_ptr<sim::DevicePort> {
    return std::make_unique<sim::DeviceHarness<Deep>>(std::make_unique<Deep>(), memory,
                                                      which.behaviour, which.harness);
  };
}

/// How many of the first cases a device fails.
int failures(const DeviceMaker& make_device, int cases) {
  int count = 0;
  for (int seed = 1; seed <= cases; ++seed) {
    count += check(make_case(static_cast<std::uint64_t>(seed), 4), make_device).has_value();
  }
  return count;
}

}  // namespace

TEST_CASE("a correct device passes and a flawed one is found", "[verification]") {
  CHECK(failures(maker<Flaw::kNone>(), 20) == 0);
  CHECK(failures(maker<Flaw::kWrittenBit>(), 20) > 3);
  CHECK(failures(maker<Flaw::kAddress>(), 20) > 3);
  CHECK(failures(maker<Flaw::kLostInterrupt>(), 6) > 2);
}

TEST_CASE("a device of deeper multiply-adds computes the same", "[verification]") {
  CHECK(failures(deep_maker(), 40) == 0);
}

TEST_CASE("errors occur on every beat, and registers are written with undefined bits",
          "[verification]") {
  CHECK(failures(maker<Flaw::kLastBeatErrors>(), 150) > 0);
  CHECK(failures(maker<Flaw::kDropsBits>(), 60) > 3);
}

TEST_CASE("a marker that changes after a fault is found", "[verification]") {
  CHECK(failures(maker<Flaw::kLateMarker>(), 20) > 3);
}

TEST_CASE("fences follow every fault that a command brings", "[verification]") {
  const int size = GENERATE(4, 8, 16);
  std::map<Ending, int> first, after_command;  // what comes right after the fault
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    for (const Program& program : make_case(seed, size).programs) {
      if (program.fault.begin == program.fault.end) continue;
      const device::CommandWord& next = program.commands[program.fault.end];
      ++(device::opcode_of(next) == device::Opcode::kFence ? first : after_command)[program.ending];
    }
  }
  constexpr std::size_t kFaults = 9;
  CHECK(first.size() == kFaults);
  CHECK(after_command.size() == kFaults);
}

TEST_CASE("cases omit every shape, after power-on and after a reset", "[verification]") {
  std::map<std::pair<unsigned, bool>, int> drawn;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Case which = make_case(seed, 4);
    for (std::size_t i = 0; i < which.programs.size(); ++i) {
      const Program& program = which.programs[i];
      if (program.ending != Ending::kMissingShape) continue;
      unsigned shapes = 0;
      for (const device::CommandWord& word : program.commands) {
        const unsigned missing = device::shapes_needed_by(word) & ~shapes;
        shapes |= device::shapes_set_by(word);
        if (missing == 0) continue;
        for (int shape = 0; shape < device::kShapes; ++shape) {
          if ((missing >> shape & 1) != 0) ++drawn[{shape, i != 0}];
        }
        break;
      }
    }
  }
  CHECK(drawn.size() == 2 * device::kShapes);
}

TEST_CASE("a minimised case still fails", "[verification]") {
  const DeviceMaker make_device = maker<Flaw::kWrittenBit>();
  for (std::uint64_t seed = 1;; ++seed) {
    REQUIRE(seed < 100);
    const Case which = make_case(seed, 4);
    if (which.programs[0].ending != Ending::kDone || !check(which, make_device)) continue;
    const Case smallest = minimise(which, make_device);
    CHECK(check(smallest, make_device).has_value());
    CHECK(smallest.programs[0].commands.size() <= which.programs[0].commands.size());
    CHECK(smallest.behaviour.latency == 64);
    CHECK_THAT(describe(smallest), Catch::Contains("store"));
    break;
  }
}

TEST_CASE("lockstep stops in the clock in which two devices first differ", "[verification]") {
  using Pair = sim::LockstepDevice<Flawed<Flaw::kNone>, Flawed<Flaw::kWrittenBit>>;
  const DeviceMaker make_pair = [](const Case& which,
                                   DeviceMemory& memory) -> std::unique_ptr<sim::DevicePort> {
    return std::make_unique<sim::DeviceHarness<Pair>>(
        std::make_unique<Pair>(std::make_unique<Flawed<Flaw::kNone>>(),
                               std::make_unique<Flawed<Flaw::kWrittenBit>>()),
        memory, which.behaviour, which.harness);
  };
  for (std::uint64_t seed = 1;; ++seed) {
    REQUIRE(seed < 100);
    const auto difference = check(make_case(seed, 4), make_pair);
    if (!difference) continue;
    CHECK_THAT(difference->words, Catch::Contains("write.data is"));
    break;
  }
}

}  // namespace systole
