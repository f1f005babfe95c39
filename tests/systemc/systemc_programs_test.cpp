// Random programs in the SystemC bench: the interpreter's results and the plain harness's clocks.
#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/device/native_devices.h"
#include "sim/systemc/systemc_device.h"
#include "sim/verify/program_run.h"
#include "sim/verify/verification.h"

namespace systole {
namespace {

using namespace verify;

constexpr int kSize = 4;
constexpr std::uint64_t kCases = 50;

DeviceMaker in_systemc() {
  return [](const Case& which, DeviceMemory& memory) {
    return sim::make_systemc_device(which.array_size, memory, which.behaviour, which.harness);
  };
}

}  // namespace

TEST_CASE("random programs leave the same memory as the interpreter", "[systemc]") {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const auto difference = check(make_case(seed, kSize), in_systemc());
    INFO("seed " << seed << ": " << (difference ? difference->words : ""));
    CHECK_FALSE(difference);
  }
}

TEST_CASE("random programs take the clocks of the plain harness", "[systemc]") {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const Case which = make_case(seed, kSize);
    INFO("seed " << seed);
    DeviceMemory plain = make_memory(which), co_simulated = make_memory(which);
    const auto harness = sim::make_native_device(kSize, plain, which.behaviour, which.harness);
    const auto device = in_systemc()(which, co_simulated);
    for (const Program& program : which.programs) {
      const Outcome expected = run_program(which, program, *harness, plain);
      const Outcome outcome = run_program(which, program, *device, co_simulated);
      CHECK(outcome.fault == expected.fault);
      CHECK(outcome.counters == expected.counters);
      CHECK(device->clocks() == harness->clocks());
    }
  }
}

}  // namespace systole
