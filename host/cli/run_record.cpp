#include "host/cli/run_record.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <fstream>
#include <thread>

namespace systole {

nlohmann::ordered_json link_record(const Link& link) {
  return {{"gbit_per_second", link.gbit_per_second},
          {"latency_us", link.latency_us},
          {"source", link.source}};
}

nlohmann::ordered_json device_config(const DeviceInfo& info, std::string_view type) {
  nlohmann::ordered_json config;
  config["device"] = info.name;
  config["type"] = type;
  config["threads"] = info.threads;
  const bool has_array = info.array_size > 0;
  config["array"] = has_array ? nlohmann::ordered_json(info.array_size) : nullptr;
  config["memory"] = has_array ? nlohmann::ordered_json(info.memory) : nullptr;
  config["clock_mhz"] = has_array ? nlohmann::ordered_json(info.clock_mhz) : nullptr;
  config["clock_source"] = has_array ? nlohmann::ordered_json(info.clock_source) : nullptr;
  config["host_link"] = nullptr;
  if (has_array) config["host_link"] = link_record(info.host_link);
  if (!info.platform.empty()) {
    config["platform"] = info.platform;
    config["chip"] = info.chip;
    config["plugin"] = info.plugin;
  }
  return config;
}

bool has_launches(const DeviceInfo& info) { return info.array_size > 0 || !info.platform.empty(); }

void add_check(nlohmann::ordered_json& record, const std::optional<CheckCoverage>& coverage) {
  if (!coverage) {
    record["check"] = nullptr;
    return;
  }
  auto& check = record["check"];
  check["reference"] = coverage->reference;
  check["per_mille"] = coverage->per_mille;
  check["seed"] = coverage->seed;
  check["programs"] = coverage->programs;
  check["checked_programs"] = coverage->checked_programs;
  check["macs"] = coverage->macs;
  check["checked_macs"] = coverage->checked_macs;
  check["cycles"] = coverage->cycles;
}

std::string describe(const CheckCoverage& coverage) {
  return fmt::format(
      "{} of {} programs run again on {}, {} of {} multiply-adds: bits and clocks "
      "agree",
      coverage.checked_programs, coverage.programs, coverage.reference, coverage.checked_macs,
      coverage.macs);
}

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;  // Linux counts in KiB
}

nlohmann::ordered_json machine_record() {
  nlohmann::ordered_json machine;
  machine["processor"] = "unknown";
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(": ");
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    machine["processor"] = line.substr(colon + 2);
    break;
  }
  machine["threads"] = std::thread::hardware_concurrency();
  return machine;
}

double device_seconds(const Counters& counters, const DeviceInfo& info) {
  if (info.clock_mhz <= 0) return 0;
  return static_cast<double>(counters.cycles()) / (info.clock_mhz * 1e6);
}

void add_counters(nlohmann::ordered_json& record, const Counters& counters,
                  const DeviceInfo& info) {
  if (!info.cycle_exact) {
    record["cycles"] = nullptr;
    record["macs"] = counters.macs;
    record["utilization"] = nullptr;
    record["stalls"] = nullptr;
    record["busy"] = nullptr;
    record["device_seconds"] = nullptr;
    return;
  }
  const Stalls causes = stalls(counters);
  record["cycles"] = counters.cycles();
  record["macs"] = counters.macs;
  record["utilization"] = utilization(counters, info.array_size);
  record["stalls"]["load"] = causes.load;
  record["stalls"]["store"] = causes.store;
  record["stalls"]["weights"] = causes.weights;
  record["stalls"]["sums"] = causes.sums;
  record["stalls"]["vector"] = causes.vector;
  record["stalls"]["idle"] = causes.idle;
  using device::Count;
  record["busy"]["array"] = counters[Count::kRows];
  record["busy"]["vector"] = counters[Count::kVectorBusy];
  record["busy"]["reads"] = counters[Count::kReadBeats];
  record["busy"]["writes"] = counters[Count::kWriteBeats];
  record["device_seconds"] = device_seconds(counters, info);
}

std::string describe(const Stalls& stalls) {
  return fmt::format("load {}, store {}, weights {}, sums in flight {}, vector {}, idle {} cycles",
                     stalls.load, stalls.store, stalls.weights, stalls.sums, stalls.vector,
                     stalls.idle);
}

}  // namespace systole
