// A sample of vector_sweep.

#include <catch2/catch.hpp>

#include "tests/vector/errors.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kStride = 8209;
/// Results are at most this many steps from the correctly rounded ones.
constexpr std::uint32_t kMostSteps = 2;

TEST_CASE("special functions are within 2 ulp of the correctly rounded results", "[vector]") {
  for (const SpecialFunction& function : kSpecialFunctions) {
    DYNAMIC_SECTION(function.name) {
      const FunctionErrors errors = function_errors(function, 5, kStride, 1);
      INFO("at " << errors.worst_argument);
      CHECK(errors.most_steps <= kMostSteps);
      CHECK(errors.wrong_nans == 0);
      CHECK(errors.count[0] > 100'000);
    }
  }
}

TEST_CASE("special functions are right at zeros, infinities, NaNs and around them", "[vector]") {
  for (const SpecialFunction& function : kSpecialFunctions) {
    DYNAMIC_SECTION(function.name) {
      for (const std::uint64_t first : {0x0ULL, 0x7f7ff000ULL, 0x7fffe000ULL, 0x80000000ULL,
                                        0xff7ff000ULL, 0x3f7ff000ULL, 0xffffe000ULL}) {
        // All arguments from `first` on would be too many: every 2^20th, from its own place on.
        const FunctionErrors errors = function_errors(function, first, 1 << 20, 1);
        INFO("at " << errors.worst_argument);
        CHECK(errors.most_steps <= kMostSteps);
        CHECK(errors.wrong_nans == 0);
      }
    }
  }
}

}  // namespace
}  // namespace systole::tests
