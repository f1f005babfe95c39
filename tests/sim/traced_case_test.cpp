// The trace that a verification writes of a case: the clocks of its failure, or the chosen ones.
#include "sim/timeline/traced_case.h"

#include <Vaccelerator_models.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>

#include "sim/device/lockstep_device.h"
#include "sim/device/native_devices.h"
#include "sim/verilator/traced_devices.h"
#include "tests/sim/flawed_device.h"
#include "tests/support/fst_file.h"
#include "tests/support/run_program.h"

namespace systole::sim {
namespace {

using tests::Flaw;
using tests::FstFile;
using verify::Case;
using verify::DeviceMaker;
using verify::Difference;
using verify::make_case;

/// The RTL with a flaw visible to its harness.
template <Flaw kFlaw>
DeviceMaker flawed() {
  return [](const Case& which, DeviceMemory& memory) {
    const auto make = [&]<typename Built>() -> std::unique_ptr<DevicePort> {
      using Device = tests::Flawed<BuiltAccelerator<Built>, kFlaw>;
      return std::make_unique<DeviceHarness<Device>>(std::make_unique<Device>(make_built<Built>()),
                                                     memory, which.behaviour, which.harness);
    };
    return with_built<accelerator_models>(which.array_size, make);
  };
}

/// The RTL in lockstep with itself, with a wrong bit in a beat of written data.
DeviceMaker flawed_lockstep() {
  return [](const Case& which, DeviceMemory& memory) {
    const auto make = [&]<typename Built>() -> std::unique_ptr<DevicePort> {
      using Wrong = tests::Flawed<BuiltAccelerator<Built>, Flaw::kWrittenBit>;
      using Both = LockstepDevice<Wrong, BuiltAccelerator<Built>>;
      return std::make_unique<DeviceHarness<Both>>(
          std::make_unique<Both>(std::make_unique<Wrong>(make_built<Built>()), make_built<Built>()),
          memory, which.behaviour, which.harness);
    };
    return with_built<accelerator_models>(which.array_size, make);
  };
}

struct Failure {
  Case which;
  Difference difference;
};

/// The first case that this device fails with a difference that `wanted` accepts.
template <typename Wanted>
Failure first_failure(int array_size, const DeviceMaker& make_device, Wanted wanted) {
  for (std::uint64_t seed = 1;; ++seed) {
    REQUIRE(seed < 100);
    const Case which = make_case(seed, array_size);
    const auto difference = check(which, make_device);
    if (difference && wanted(*difference)) return {which, *difference};
  }
}

struct Folder {
  tests::TemporaryFolder folder;
  std::string file = folder.file("x.fst");
};

}  // namespace

TEST_CASE("the trace ends in the clock where two devices differ", "[trace]") {
  const Folder folder;
  for (const int array_size : traced_device_sizes()) {
    INFO("array " << array_size);
    const auto [which, difference] = first_failure(
        array_size, flawed_lockstep(), [](const Difference& one) { return one.clock < 2000; });
    CHECK_THAT(difference.words, Catch::StartsWith("clock " + std::to_string(difference.clock)));

    const TraceWindow window = trace_difference(which, difference, folder.file);
    CHECK(window.first == 0);
    CHECK(window.last == difference.clock);
    const FstFile trace(folder.file);
    CHECK(trace.first_clock() == 0);
    REQUIRE(trace.last_clock() == difference.clock);

    // This many beats were written before, and the next one differs.
    std::uint64_t written = 0;
    for (std::uint64_t clock = 0; clock < difference.clock; ++clock) {
      const std::uint64_t time = 2 * clock + 1;
      written += trace.value("memory_write_valid_o", time) != 0 &&
                 trace.value("memory_write_ready_i", time) != 0;
    }
    CHECK(written == tests::kFlawedWrite);
    CHECK(trace.value("memory_write_valid_o", 2 * difference.clock) == 1);
    const std::string data = trace.digits("memory_write_data_data_o", 2 * difference.clock);
    const auto byte =
        std::stoull(data.substr(data.size() - 8 * (tests::kFlawedByte + 1), 8), nullptr, 2);
    CHECK_THAT(difference.words, Catch::EndsWith(fmt::format("write.data is {:#x} in one and {:#x} "
                                                             "in the other",
                                                             byte ^ 1, byte)));
  }
}

TEST_CASE("when memory differs after a program, its last clocks are traced", "[trace]") {
  const Folder folder;
  const auto [which, difference] =
      first_failure(4, flawed<Flaw::kWrittenBit>(), [](const Difference& one) {
        return one.words.find("bytes of the outputs differ") != std::string::npos;
      });
  const TraceWindow window = trace_difference(which, difference, folder.file);
  const FstFile trace(folder.file);
  CHECK(trace.first_clock() == window.first);
  CHECK(trace.last_clock() == window.last);
  CHECK(window.last <= difference.clock);
  CHECK(window.last + 1000 >= difference.clock);
}

TEST_CASE("when a device hangs, the clocks around its last work are traced", "[trace]") {
  const Folder folder;
  const auto [which, difference] =
      first_failure(4, flawed<Flaw::kLostInterrupt>(), [](const Difference& one) {
        return one.words.find("the device hangs") != std::string::npos;
      });
  REQUIRE(difference.clock > 100'000);
  const TraceWindow window = trace_difference(which, difference, folder.file);
  CHECK(window.last < 20'000);
  const FstFile trace(folder.file);
  // The device raises its interrupt, and nobody sees it.
  const auto raised = [&](std::uint64_t clock) { return trace.value("interrupt_o", 2 * clock); };
  CHECK(raised(trace.first_clock()) == 0);
  bool was_raised = false;
  for (auto clock = trace.first_clock(); clock <= trace.last_clock(); ++clock) {
    was_raised = was_raised || raised(clock) != 0;
  }
  CHECK(was_raised);
}

TEST_CASE("a case is traced as it ran, for as long as it ran", "[trace]") {
  const Folder folder;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const Case which = make_case(seed, 4);
    std::uint64_t clocks = 0;
    {
      DeviceMemory memory = make_memory(which);
      const auto port = make_native_device(4, memory, which.behaviour, which.harness);
      for (const verify::Program& program : which.programs) {
        run_program(which, program, *port, memory);
      }
      clocks = port->clocks();
    }
    const TraceWindow window = trace_case(which, {.first = clocks - 5}, folder.file);
    CHECK(window.last + 1 == clocks);
    const FstFile trace(folder.file);
    CHECK(trace.first_clock() == clocks - 5);
    CHECK(trace.last_clock() == window.last);
    CHECK_THROWS_WITH(trace_case(which, {.first = clocks}, folder.file),
                      Catch::Contains("the case ends in clock"));
  }
}

TEST_CASE("a command of a case is traced from dispatch to completion", "[trace]") {
  const Folder folder;
  const Case which = make_case(8, 4);
  const auto commands = static_cast<std::uint32_t>(which.programs[0].commands.size());
  std::uint64_t latest = 0;
  for (std::uint32_t command = 0; command < commands; ++command) {
    const TraceWindow window = trace_case(which, {.command = command}, folder.file);
    const FstFile trace(folder.file);
    CHECK(trace.first_clock() == window.first);
    CHECK(trace.last_clock() == window.last);
    CHECK(window.first > latest);  // in order
    latest = window.first;
  }
  CHECK_THROWS_WITH(trace_case(which, {.command = commands}, folder.file),
                    Catch::Contains("no command"));
}

TEST_CASE("a trace of an array without RTL, or into a missing folder, is refused", "[trace]") {
  CHECK_THROWS_WITH(trace_case(make_case(1, 32), {}, "x.fst"), Catch::Contains("choose --array"));
  CHECK_THROWS_WITH(trace_case(make_case(1, 4), {}, "/nonexistent/x.fst"),
                    Catch::Contains("cannot be written"));
}

}  // namespace systole::sim
