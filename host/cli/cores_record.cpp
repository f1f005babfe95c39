#include "host/cli/cores_record.h"

#include <fmt/format.h>

#include "host/cli/run_record.h"

namespace systole {

nlohmann::ordered_json cores_record(const Strategy& strategy, const nn::StepTime& time) {
  using Json = nlohmann::ordered_json;
  const DeviceInfo& info = strategy.device(0).info();
  const bool linked = strategy.cores() > 1 && info.cycle_exact;
  const auto where = [](bool known, const auto& value) { return known ? Json(value) : Json(); };
  Json record;
  record["count"] = strategy.cores();
  record["ranks"] = strategy.ranks().size();
  record["link"] = nullptr;
  if (linked) record["link"] = link_record(strategy.link());
  record["cycles"] = where(info.cycle_exact, time.core_cycles);
  record["slowest_cycles"] = where(info.cycle_exact, time.slowest_cycles);
  record["all_reduce_bytes"] = time.all_reduce_bytes;
  record["all_reduce_seconds"] = where(info.cycle_exact, time.all_reduce_seconds);
  record["scaling_efficiency"] = where(info.cycle_exact, time.scaling_efficiency(info.clock_mhz));
  return record;
}

std::vector<Line> describe_cores(const Strategy& strategy, const nn::StepTime& time) {
  if (strategy.cores() == 1 || time.steps == 0) return {};
  std::vector<Line> lines{
      {"cores", fmt::format("{} in {} rank{}", strategy.cores(), strategy.ranks().size(),
                            strategy.ranks().size() == 1 ? "" : "s")}};
  const DeviceInfo& info = strategy.device(0).info();
  if (!info.cycle_exact) return lines;
  const auto steps = static_cast<double>(time.steps);
  lines.push_back(
      {"step on device",
       fmt::format("{:.6f} s on the slowest core, then {:.6f} s for the gradients of "
                   "all (modelled: {:g} Gbit/s, {})",
                   time.compute_seconds(info.clock_mhz) / steps, time.all_reduce_seconds / steps,
                   strategy.link().gbit_per_second, strategy.link().source)});
  lines.push_back({"scaling", fmt::format("{:.1f}% of a step's time an average core computes",
                                          100 * time.scaling_efficiency(info.clock_mhz))});
  return lines;
}

}  // namespace systole
