#include "host/cli/run_record.h"

#include <catch2/catch.hpp>

#include "host/cli/energy_record.h"

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

TEST_CASE("a record holds how often a device did what costs energy, and null without a device",
          "[run_record]") {
  ActionCounts actions;
  for (std::size_t i = 0; i < kActions; ++i) actions.counts[i] = 10 + i;
  const auto record = actions_record(actions);
  REQUIRE(record.size() == kActions);
  std::uint64_t expected = 10;
  for (const auto& [name, count] : record.items()) CHECK(count == expected++);
  CHECK(actions_record(std::nullopt).is_null());
}

TEST_CASE("a device's energy is estimated, and its causes add up to the whole", "[run_record]") {
  DeviceSizes sizes;
  sizes.array_size = 4;
  sizes.bus_bytes = 4;
  EnergyFacts facts{.actions = ActionCounts{},
                    .sizes = sizes,
                    .options = {.process = "16 nm", .memory = "HBM2"},
                    .device_seconds = 3,
                    .steps = 4,
                    .batch_size = 50,
                    .samples = 120};
  for (std::size_t i = 0; i < kActions; ++i) facts.actions->counts[i] = 1'000'000 * (i + 1);
  const auto energy = write_energy(recorded_energy(facts, simulated_info()));
  CHECK(energy["label"] == "estimated");
  CHECK(energy["process"] == "16 nm");
  CHECK(energy["memory"] == "HBM2");
  double sum = 0;
  for (const auto& [cause, joules] : energy["by_cause"].items()) sum += joules.get<double>();
  const double step = energy["joules_a_step"];
  CHECK(sum == Approx(step).epsilon(1e-12));
  CHECK(energy["joules_a_sample"] == Approx(step / 50));
  CHECK(energy["joules_an_epoch"] == Approx(3 * step));
  CHECK(energy["by_cause"]["static"] == Approx(53.0 * 16 / (2 * 128 * 128) * 3 / 4));
  CHECK(energy["other_processes"].size() == 2);
  CHECK(energy["other_processes"]["45 nm"] > step);
  CHECK(energy["other_processes"]["7 nm"] < step);
}

TEST_CASE("a CPU's energy is measured where the machine shows it", "[run_record]") {
  const DeviceInfo info{.name = "cpu", .description = ""};
  const auto energy = write_energy(
      recorded_energy({.steps = 5, .batch_size = 2, .samples = 20, .cpu_joules = 30}, info));
  CHECK(energy["label"] == "measured");
  CHECK(energy["joules_a_step"] == 6);
  CHECK(energy["joules_a_sample"] == 3);
  CHECK(energy["joules_an_epoch"] == 60);
  CHECK_FALSE(energy.contains("by_cause"));
}

TEST_CASE("a device of no known process and a plugin's have no energy of ours", "[run_record]") {
  DeviceInfo info = simulated_info();
  const EnergyFacts unknown{.actions = ActionCounts{}, .options = {.process = ""}};
  CHECK_FALSE(recorded_energy(unknown, info).has_value());
  info.cycle_exact = false;
  info.platform = "cuda";
  CHECK_FALSE(recorded_energy({.cpu_joules = 1}, info).has_value());
}

TEST_CASE("a record names its clock and the clock's source", "[run_record]") {
  const auto config = device_config(simulated_info(), "bf16");
  CHECK(config.dump() ==
        R"({"device":"model","type":"bf16","threads":1,"array":4,"memory":"ideal",)"
        R"("clock_mhz":200.0,"clock_source":"assumed",)"
        R"("host_link":{"gbit_per_second":8.0,"latency_us":1.0,"source":"PCIe"}})");
}

}  // namespace systole
