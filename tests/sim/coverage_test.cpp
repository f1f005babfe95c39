// The coverage of a verification's cases. The accelerator's control suffices, as data affects none.
#include "sim/verify/coverage.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "sim/device/control_devices.h"
#include "sim/verify/kinds.h"

namespace systole::verify {
namespace {

/// Runs the case's programs and calls `done` with the outcome of each.
template <typename Done>
void run_case(const Case& which, Done done) {
  DeviceMemory memory = make_memory(which);
  sim::HarnessOptions harness = which.harness;
  harness.monitors = false;  // they would check data
  const auto port = sim::make_control_device(which.array_size, memory, which.behaviour, harness);
  for (const Program& program : which.programs) {
    done(program, run_program(which, program, *port, memory));
  }
}

}  // namespace

TEST_CASE("a hundred cases meet every kind, whatever the seed", "[verification]") {
  const auto [size, seed] = GENERATE(table<int, std::uint64_t>(
      {{8, 1}, {8, 700}, {16, 1}, {16, 101}, {16, 301}, {16, 123'456'789}}));
  Coverage coverage;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Case which = make_case(seed + i, size);
    run_case(which, [&](const Program& program, const Outcome& outcome) {
      coverage.add(which, program, outcome);
    });
  }
  INFO("array " << size << ", seed " << seed << "\n" << coverage.table());
  CHECK(coverage.missing() == 0);
}

TEST_CASE("a case drawn with many outputs waits for them", "[verification]") {
  const auto kinds = directed_kinds();
  const auto place = std::ranges::find(kinds, std::string(kManyOutputs)) - kinds.begin();
  const int size = GENERATE(8, 16, 32);
  for (int i = 0; i < 10; ++i) {
    const auto seed = static_cast<std::uint64_t>(place + i * std::ssize(kinds));
    INFO("array " << size << ", seed " << seed);
    std::uint64_t waits = 0;
    run_case(make_case(seed, size), [&](const Program&, const Outcome& outcome) {
      waits += outcome.counters[static_cast<std::size_t>(device::Count::kVectorWaitForOutput)];
    });
    CHECK(waits > 0);
  }
}

TEST_CASE("a case drawn to wait for sums does", "[verification]") {
  const auto kinds = directed_kinds().size();
  const int size = GENERATE(8, 16, 32);
  for (std::uint64_t seed = kinds - 1; seed < 20 * kinds; seed += kinds) {
    INFO("array " << size << ", seed " << seed);
    std::uint64_t waits = 0;  // of all its programs: one without a shape may come first
    run_case(make_case(seed, size), [&](const Program&, const Outcome& outcome) {
      waits += outcome.counters[static_cast<std::size_t>(device::Count::kWaitForSums)];
    });
    CHECK(waits > 0);
  }
}

}  // namespace systole::verify
