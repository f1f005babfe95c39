#include "host/cli/energy_record.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "host/energy/processor_energy.h"
#include "host/energy/program_energy.h"

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

RecordedEnergy of_step(double step, const EnergyFacts& facts) {
  const auto batches = (facts.samples + facts.batch_size - 1) / facts.batch_size;
  RecordedEnergy energy;
  energy.joules = step;
  energy.sample_joules = step / static_cast<double>(facts.batch_size);
  energy.epoch_joules = step * static_cast<double>(batches);
  return energy;
}

energy::Energy estimated_in(const EnergyFacts& facts, const EnergyOptions& options) {
  const energy::Table table = energy::make_table(options, facts.sizes.array_size);
  return energy_of(*facts.actions, facts.device_seconds, facts.sizes, table);
}

RecordedEnergy estimated(const EnergyFacts& facts) {
  const energy::Table table = energy::make_table(facts.options, facts.sizes.array_size);
  const energy::Energy all = estimated_in(facts, facts.options);
  const auto steps = static_cast<double>(facts.steps);
  RecordedEnergy energy = of_step(all.total() / steps, facts);
  energy.label = "estimated";
  energy.process = table.process;
  energy.memory = facts.options.memory;
  energy.source =
      fmt::format("docs/energy.md; {:.3g} W static: {}", table.static_watts, table.static_source);
  for (std::size_t i = 0; i < energy::kCauses; ++i) {
    energy.by_cause.emplace_back(energy::kCauseNames[i], all.joules[i] / steps);
  }
  EnergyOptions other = facts.options;
  other.picojoules.clear();  // they are of the configuration's own process
  for (const std::string& process : energy::processes()) {
    if (process == table.process) continue;
    other.process = process;
    energy.other_processes.emplace_back(process, estimated_in(facts, other).total() / steps);
  }
  return energy;
}

std::optional<RecordedEnergy> of_processor(const EnergyFacts& facts) {
  if (facts.cpu_joules) {
    RecordedEnergy energy = of_step(*facts.cpu_joules / static_cast<double>(facts.steps), facts);
    energy.label = "measured";
    energy.source = "RAPL, all packages of the machine";
    return energy;
  }
  std::ifstream stream("/proc/cpuinfo");
  const auto power =
      energy::published_power(std::string(std::istreambuf_iterator<char>(stream), {}));
  if (!power) return {};
  RecordedEnergy energy = of_step(power->watts / power->cores * facts.processor_seconds, facts);
  energy.label = "published power x processor time";
  energy.source = fmt::format(
      "{:.3g} W a core: {:g} W for the {} cores of one {}{}", power->watts / power->cores,
      power->watts, power->cores, power->processor,
      power->by_features ? ", which this machine's flags allow and its model's name hides" : "");
  energy.processor_seconds = facts.processor_seconds;
  return energy;
}

}  // namespace

Json actions_record(const std::optional<ActionCounts>& actions) {
  if (!actions) return nullptr;
  Json record;
  for (std::size_t i = 0; i < kActions; ++i) {
    record[std::string(kActionNames[i])] = actions->counts[i];
  }
  return record;
}

std::optional<RecordedEnergy> recorded_energy(const EnergyFacts& facts, const DeviceInfo& info) {
  if (facts.steps == 0) return {};
  if (!facts.actions) return info.platform.empty() ? of_processor(facts) : std::nullopt;
  if (facts.options.process.empty()) return {};
  return estimated(facts);
}

}  // namespace systole
