#include "host/cli/run_record.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <fstream>

namespace systole {

RecordedDevice recorded_device(const DeviceInfo& info, std::string_view type) {
  return {.device = info.name,
          .type = std::string(type),
          .threads = info.threads,
          .clocked = info.array_size > 0,
          .array_size = info.array_size,
          .memory = info.memory,
          .clock_source = info.clock_source,
          .clock_mhz = info.clock_mhz,
          .host_link = info.host_link,
          .platform = info.platform,
          .chip = info.chip,
          .plugin = info.plugin};
}

nlohmann::ordered_json device_config(const DeviceInfo& info, std::string_view type) {
  return write_device(recorded_device(info, type));
}

bool has_launches(const DeviceInfo& info) { return info.array_size > 0 || !info.platform.empty(); }

nlohmann::ordered_json check_record(const std::optional<CheckCoverage>& coverage) {
  if (!coverage) return nullptr;
  return {{"reference", coverage->reference},
          {"per_mille", coverage->per_mille},
          {"seed", coverage->seed},
          {"programs", coverage->programs},
          {"checked_programs", coverage->checked_programs},
          {"macs", coverage->macs},
          {"checked_macs", coverage->checked_macs},
          {"cycles", coverage->cycles}};
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

std::string machine_processor() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

double device_seconds(const Counters& counters, const DeviceInfo& info) {
  if (info.clock_mhz <= 0) return 0;
  return static_cast<double>(counters.cycles()) / (info.clock_mhz * 1e6);
}

RecordedCounts recorded_counts(const Counters& counters, const DeviceInfo& info) {
  if (!info.cycle_exact) return {.macs = counters.macs};
  using device::Count;
  return {.cycles = counters.cycles(),
          .macs = counters.macs,
          .utilization = utilization(counters, info.array_size),
          .device_seconds = device_seconds(counters, info),
          .stalls = stalls(counters),
          .busy = RecordedBusy{.array = counters[Count::kRows],
                               .vector = counters[Count::kVectorBusy],
                               .reads = counters[Count::kReadBeats],
                               .writes = counters[Count::kWriteBeats]}};
}

void add_counters(nlohmann::ordered_json& record, const Counters& counters,
                  const DeviceInfo& info) {
  write_counts(record, recorded_counts(counters, info), info.cycle_exact);
}

std::string describe(const Stalls& stalls) {
  return fmt::format("load {}, store {}, weights {}, sums in flight {}, vector {}, idle {} cycles",
                     stalls.load, stalls.store, stalls.weights, stalls.sums, stalls.vector,
                     stalls.idle);
}

}  // namespace systole
