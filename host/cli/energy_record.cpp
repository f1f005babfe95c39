#include "host/cli/energy_record.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "host/energy/processor_energy.h"
#include "host/energy/program_energy.h"

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

void add_joules(Json& energy, double step, const EnergyFacts& facts) {
  energy["joules_a_step"] = step;
  energy["joules_a_sample"] = step / static_cast<double>(facts.batch_size);
  energy["joules_an_epoch"] =
      step * static_cast<double>((facts.samples + facts.batch_size - 1) / facts.batch_size);
}

energy::Energy estimated_in(const EnergyFacts& facts, const EnergyOptions& options) {
  const energy::Table table = energy::make_table(options, facts.sizes.array_size);
  return energy_of(*facts.actions, facts.device_seconds, facts.sizes, table);
}

Json estimated(const EnergyFacts& facts) {
  const energy::Table table = energy::make_table(facts.options, facts.sizes.array_size);
  const energy::Energy all = estimated_in(facts, facts.options);
  const auto steps = static_cast<double>(facts.steps);
  Json energy;
  energy["label"] = "estimated";
  energy["process"] = table.process;
  energy["memory"] = facts.options.memory;
  energy["source"] =
      fmt::format("docs/energy.md; {:.3g} W static: {}", table.static_watts, table.static_source);
  add_joules(energy, all.total() / steps, facts);
  for (std::size_t i = 0; i < energy::kCauses; ++i) {
    energy["by_cause"][std::string(energy::kCauseNames[i])] = all.joules[i] / steps;
  }
  EnergyOptions other = facts.options;
  other.picojoules.clear();  // they are of the configuration's own process
  for (const std::string& process : energy::processes()) {
    if (process == table.process) continue;
    other.process = process;
    energy["other_processes"][process] = estimated_in(facts, other).total() / steps;
  }
  return energy;
}

Json of_processor(const EnergyFacts& facts) {
  Json energy;
  if (facts.cpu_joules) {
    energy["label"] = "measured";
    energy["source"] = "RAPL, all packages of the machine";
    add_joules(energy, *facts.cpu_joules / static_cast<double>(facts.steps), facts);
    return energy;
  }
  std::ifstream stream("/proc/cpuinfo");
  const auto power =
      energy::published_power(std::string(std::istreambuf_iterator<char>(stream), {}));
  if (!power) return nullptr;
  energy["label"] = "published power x processor time";
  energy["source"] = fmt::format(
      "{:.3g} W a core: {:g} W for the {} cores of a {}{}", power->watts / power->cores,
      power->watts, power->cores, power->processor,
      power->by_features ? ", which this machine's flags allow and its model's name hides" : "");
  add_joules(energy, power->watts / power->cores * facts.processor_seconds, facts);
  energy["processor_seconds_a_step"] = facts.processor_seconds;
  return energy;
}

}  // namespace

void add_actions(Json& record, const std::optional<ActionCounts>& actions) {
  record["actions"] = nullptr;
  if (!actions) return;
  for (std::size_t i = 0; i < kActions; ++i) {
    record["actions"][std::string(kActionNames[i])] = actions->counts[i];
  }
}

void add_energy(Json& record, const EnergyFacts& facts, const DeviceInfo& info) {
  record["energy"] = nullptr;
  if (facts.steps == 0) return;
  if (facts.actions) {
    if (!facts.options.process.empty()) record["energy"] = estimated(facts);
  } else if (info.platform.empty()) {
    record["energy"] = of_processor(facts);
  }
}

}  // namespace systole
