// The load engine's RTL in lock-step with its C++, under an accelerator's traffic.

#include <Vload_engine_16.h>
#include <Vload_engine_4.h>

#include <catch2/catch.hpp>

#include "tests/rtl/kernels/load_engine.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0051;
constexpr std::uint64_t kEdges = 300'000;
/// Faults are rare; every other output changes far more often.
constexpr std::uint64_t kEdgesPerChange = 8000;

template <typename Top>
void check_lockstep() {
  const LoadLockstepReport report = run_load_lockstep<Top>(kSeed, kEdges);
  INFO("seed " << kSeed << "; " << report.first_mismatch);
  CHECK(report.mismatches == 0);
  CHECK(report.compared_edges >= kEdges);
  CHECK(report.fewest_changes > report.compared_edges / kEdgesPerChange);
  CHECK(report.words > kEdges / 20);
  CHECK(report.faults > 20);
  CHECK(report.resets > 20);
}

TEST_CASE("RTL and C++ of the load engine agree on every edge", "[load_engine]") {
  SECTION("N = 4") { check_lockstep<LoadEngineTop<Vload_engine_4, 4>>(); }
  SECTION("N = 16") { check_lockstep<LoadEngineTop<Vload_engine_16, 16>>(); }
}

}  // namespace
}  // namespace systole::tests
