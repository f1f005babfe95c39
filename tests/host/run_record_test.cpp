#include "host/cli/run_record.h"

#include <catch2/catch.hpp>

namespace systole {
namespace {

DeviceInfo simulated_info() {
  DeviceInfo info;
  info.name = "model";
  info.array_size = 4;
  info.clock_mhz = 200;
  info.clock_source = "assumed";
  info.cycle_exact = true;
  info.memory = "ideal";
  return info;
}

}  // namespace

TEST_CASE("a record tells cycles, stalls and device time of a device with a clock",
          "[run_record]") {
  const Counters counters{.cycles = 400,
                          .busy_cycles = 300,
                          .weight_stall_cycles = 10,
                          .hazard_stall_cycles = 20,
                          .drain_cycles = 70,
                          .macs = 3200};
  nlohmann::ordered_json record;
  add_counters(record, counters, simulated_info());
  CHECK(record.dump() ==
        R"({"cycles":400,"macs":3200,"utilization":0.5,)"
        R"("stalls":{"weight_load":10,"hazard":20,"fill_drain":70},"device_seconds":2e-06})");
}

TEST_CASE("a record of a device without a clock has the same keys, and null for clocks",
          "[run_record]") {
  DeviceInfo info;
  info.name = "cpu";
  nlohmann::ordered_json record;
  add_counters(record, {.macs = 3200}, info);
  CHECK(record.dump() == R"({"cycles":null,"macs":3200,"utilization":null,)"
                         R"("stalls":null,"device_seconds":null})");
  CHECK(device_seconds({.cycles = 5}, info) == 0);
}

TEST_CASE("a record says which clock, and where it comes from", "[run_record]") {
  const auto config = device_config(simulated_info(), "bf16");
  CHECK(config.dump() ==
        R"({"device":"model","type":"bf16","threads":1,"array":4,"memory":"ideal",)"
        R"("clock_mhz":200.0,"clock_source":"assumed"})");
}

}  // namespace systole
