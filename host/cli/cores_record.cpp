#include "host/cli/cores_record.h"

#include <fmt/format.h>

#include "host/cli/run_record.h"

namespace systole {

nlohmann::ordered_json cores_record(const Strategy& strategy, const nn::StepTime& time) {
  using Json = nlohmann::ordered_json;
  const DeviceInfo& info = strategy.device(0).info();
  const auto where = [](bool known, const auto& value) { return known ? Json(value) : Json(); };
  Json record;
  record["ranks"] = strategy.ranks().size();
  record["linked"] = strategy.links() != nullptr;
  record["cycles"] = where(info.cycle_exact, time.core_cycles);
  record["slowest_cycles"] = where(info.cycle_exact, time.slowest_cycles);
  record["link_wait_cycles"] = where(info.cycle_exact, time.link_wait_cycles);
  record["busy_share"] = where(info.cycle_exact, time.busy_share());
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
       fmt::format("{:.6f} s on the slowest core, {}", time.device_seconds(info.clock_mhz) / steps,
                   strategy.links() != nullptr
                       ? "which has the sums over links and the update"
                       : "besides the sums of gradients, which the host makes")});
  lines.push_back(
      {"busy", fmt::format("{:.1f}% of a step's time an average core waits for no other",
                           100 * time.busy_share())});
  return lines;
}

}  // namespace systole
