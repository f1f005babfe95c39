#include "host/cli/compared_devices.h"

#include <catch2/catch.hpp>

#include "host/cli/usage_error.h"
#include "host/pjrt/pjrt_backend.h"

namespace systole::tests {

TEST_CASE("a list of devices is read with step limits, and rtl has one by default", "[compare]") {
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

TEST_CASE("a device may have a configuration of its own", "[compare]") {
  const auto devices = parse_devices("model,model@tpu-v2-core,model@default:2");
  REQUIRE(devices.size() == 3);
  const DeviceOptions machine = devices[1].on({.array_size = 8, .threads = 3, .clock_mhz = 50});
  CHECK(machine.array_size == 128);
  CHECK(machine.clock_mhz == 700);
  CHECK(machine.memory.bytes_per_cycle == 428);
  CHECK(machine.threads == 3);
  CHECK(devices[2].on({.array_size = 8}).array_size == 16);
  CHECK(devices[2].steps == 2);
  CHECK_THROWS_WITH(parse_devices("model@tpu-v9"),
                    Catch::Contains("--devices model@tpu-v9: tpu-v9: neither"));
  CHECK_THROWS_AS(parse_devices("model@default,model@default:3"), UsageError);
}

TEST_CASE("a device may have several cores", "[compare]") {
  const auto devices = parse_devices("model,model*8,rtl*2:3,model*4@tpu-v2-core:2");
  REQUIRE(devices.size() == 4);
  CHECK(devices[0].cores == 1);
  CHECK(devices[0].words() == "model");
  CHECK(devices[1].cores == 8);
  CHECK(devices[1].words() == "model*8");
  CHECK(devices[2] == ComparedDevice{.name = "rtl", .cores = 2, .steps = 3});
  CHECK(devices[3].cores == 4);
  CHECK(devices[3].configuration == "tpu-v2-core");
  for (const char* wrong : {"model*", "model*0", "model*x", "*2", "model*2,model*2:3"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_devices(wrong), UsageError);
  }
}

TEST_CASE("an option that none of the compared devices takes has a reason against it",
          "[compare]") {
  const auto why = [](const std::string& device, const char* option) {
    return parse_devices(device).front().reason_unused(option);
  };
  CHECK(why("model", "--array").empty());
  CHECK(why("model@128", "--array") == "model@128 has its own");
  CHECK(why("model@128", "--clock-mhz").empty());
  CHECK(why("model@128x700", "--clock-mhz") == "model@128 has its own");
  CHECK(why("model@tpu-v2-core", "--bus-bytes") == "model@tpu-v2-core has its own");
  CHECK(why("model@tpu-v2-core", "--threads").empty());
  CHECK(why("cpu", "--config") == "cpu has no array, no bus and no clock");
}

TEST_CASE("a device at a place is named with it, and may have a step limit", "[compare]") {
  register_backend(pjrt_backend_entry());  // this program has cpu alone
  const auto devices = parse_devices("cpu,pjrt:/a@1/plugin.so,pjrt:/b:2/plugin.so:10");
  REQUIRE(devices.size() == 3);
  CHECK(devices[1] == ComparedDevice{.name = "pjrt:/a@1/plugin.so"});
  CHECK(devices[2] == ComparedDevice{.name = "pjrt:/b:2/plugin.so", .steps = 10});
  CHECK(parse_devices("pjrt:5")[0].name == "pjrt:5");  // a file of that name
  CHECK_THROWS_AS(parse_devices("pjrt:/a.so,pjrt:/a.so:3"), UsageError);
}

}  // namespace systole::tests
