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
  info.host_link = {.gbit_per_second = 8, .latency_us = 1, .source = "PCIe"};
  return info;
}

}  // namespace

TEST_CASE("a record holds cycles, stalls and device time of a device with a clock",
          "[run_record]") {
  Counters counters{.macs = 3200};
  const auto set = [&](device::Count which, std::uint64_t value) {
    counters.counts[static_cast<std::size_t>(which)] = value;
  };
  set(device::Count::kCycles, 400);
  set(device::Count::kRows, 300);
  set(device::Count::kWaitForLoad, 10);
  set(device::Count::kWaitForStore, 20);
  set(device::Count::kWaitForWeights, 30);
  set(device::Count::kWaitForSums, 5);
  set(device::Count::kWaitForVector, 7);
  set(device::Count::kVectorBusy, 120);
  set(device::Count::kReadBeats, 90);
  set(device::Count::kWriteBeats, 40);
  nlohmann::ordered_json record;
  add_counters(record, counters, simulated_info());
  CHECK(record.dump() ==
        R"({"cycles":400,"macs":3200,"utilization":0.5,)"
        R"("stalls":{"load":10,"store":20,"weights":30,"sums":5,"vector":7,"idle":28},)"
        R"("busy":{"array":300,"vector":120,"reads":90,"writes":40},)"
        R"("device_seconds":2e-06})");
  CHECK(describe(stalls(counters)) ==
        "load 10, store 20, weights 30, sums in flight 5, vector 7, idle 28 cycles");
}

TEST_CASE("a record of a device without a clock has the same keys, and null for clocks",
          "[run_record]") {
  DeviceInfo info;
  info.name = "cpu";
  nlohmann::ordered_json record;
  add_counters(record, {.macs = 3200}, info);
  CHECK(record.dump() == R"({"cycles":null,"macs":3200,"utilization":null,)"
                         R"("stalls":null,"busy":null,"device_seconds":null})");
  CHECK(device_seconds({.macs = 5}, info) == 0);
}

TEST_CASE("a record names its clock and the clock's source", "[run_record]") {
  const auto config = device_config(simulated_info(), "bf16");
  CHECK(config.dump() ==
        R"({"device":"model","type":"bf16","threads":1,"array":4,"memory":"ideal",)"
        R"("clock_mhz":200.0,"clock_source":"assumed",)"
        R"("host_link":{"gbit_per_second":8.0,"latency_us":1.0,"source":"PCIe"}})");
}

}  // namespace systole
