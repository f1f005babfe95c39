// Every kernel's generated RTL against its C++: all ports, all lanes, every edge.

#include <catch2/catch.hpp>

#include "tests/rtl/lockstep_kernel.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0021;
/// An output that changes less often than this was not exercised.
constexpr std::uint64_t kEdgesPerChange = 50;

TEST_CASE("RTL and C++ of every kernel agree at every port on every edge", "[lockstep]") {
  for (const LockstepKernel& kernel : lockstep_kernels()) {
    DYNAMIC_SECTION(kernel.name) {
      const LockstepReport report = kernel.run(kSeed, kernel.test_edges);
      INFO("seed " << kSeed << "; " << report.first_mismatch);
      CHECK(report.mismatches == 0);
      CHECK(report.compared_edges == kernel.test_edges);
      CHECK(report.fewest_changes > report.compared_edges / kEdgesPerChange);
    }
  }
}

TEST_CASE("every kernel with a reset is reset in the middle of its traffic", "[lockstep]") {
  INFO("seed " << kSeed);
  for (const LockstepKernel& kernel : lockstep_kernels()) {
    INFO(kernel.name);
    const std::uint64_t resets = kernel.run(kSeed, 5000).resets;
    CHECK((resets > 0) == kernel.has_reset);
  }
}

}  // namespace
}  // namespace systole::tests
