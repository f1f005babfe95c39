// Cores in a line, with links: random programs on the devices and in the interpreter.
#include "sim/verify/line_verification.h"

#include <catch2/catch.hpp>
#include <map>

#include "sim/verify/verify_devices.h"

namespace systole::verify {
namespace {

constexpr int kSize = 4;

TEST_CASE("random programs of two to four cores do on their devices what the interpreter does",
          "[line]") {
  const DeviceMaker make_device = verify_device(kSize);
  std::map<LineEnding, int> met;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const LineCase which = make_line_case(seed, kSize, 2 + static_cast<int>(seed % 3));
    ++met[which.rounds.front().ending];
    const auto difference = check(which, make_device);
    INFO("seed " << seed << ": " << (difference ? difference->words : ""));
    if (difference) INFO(describe(which));
    REQUIRE(!difference);
  }
  CHECK(met.size() == kLineEndings);
}

}  // namespace
}  // namespace systole::verify
