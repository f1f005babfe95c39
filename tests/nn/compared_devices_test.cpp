#include "host/cli/compared_devices.h"

#include <catch2/catch.hpp>

#include "host/cli/usage_error.h"

namespace systole::tests {

TEST_CASE("a list of devices is read with limits, rtl having one by itself", "[compare]") {
  const auto devices = parse_devices("cpu,model:7,rtl");
  REQUIRE(devices.size() == 3);
  CHECK_FALSE(devices[0].steps.has_value());
  CHECK(devices[1].steps == 7);
  CHECK(devices[2].steps == kRtlSteps);
  CHECK(parse_devices("rtl:3")[0].steps == 3);
}

TEST_CASE("a device may have an array and a clock of its own", "[compare]") {
  const auto devices = parse_devices("cpu,model,model@128,model@128x700:5");
  REQUIRE(devices.size() == 4);
  CHECK(devices[1].on({.array_size = 8, .clock_mhz = 50}).array_size == 8);
  CHECK(devices[2].on({.array_size = 8, .clock_mhz = 50}).array_size == 128);
  CHECK(devices[2].on({.array_size = 8, .clock_mhz = 50}).clock_mhz == 50);
  CHECK(devices[3].on({}).clock_mhz == 700);
  CHECK(devices[3].steps == 5);
  for (const char* wrong : {"model@", "model@x", "model@0", "model@16x", "model@16x0", "model@a",
                            "@16", "model@16,model@16"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_devices(wrong), UsageError);
  }
}

}  // namespace systole::tests
