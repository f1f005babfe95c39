#include "host/cli/run_record.h"

#include <fmt/format.h>

namespace systole {

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
  return config;
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
  record["stalls"]["idle"] = causes.idle;
  record["device_seconds"] = device_seconds(counters, info);
}

std::string describe(const Stalls& stalls) {
  return fmt::format("load {}, store {}, weights {}, sums in flight {}, idle {} cycles",
                     stalls.load, stalls.store, stalls.weights, stalls.sums, stalls.idle);
}

}  // namespace systole
