#include "host/cli/inspect_actions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "host/cli/energy_record.h"
#include "host/cli/json_file.h"
#include "host/cli/run_record.h"
#include "host/data/atomic_file.h"
#include "host/device/backend.h"
#include "host/energy/accelergy.h"

namespace systole {
namespace {

/// Prints a table's numbers, and puts them with their sources into a record.
void show_table(const energy::Table& table, nlohmann::ordered_json& record) {
  fmt::print("energies");
  for (std::size_t i = 0; i < energy::kCosts; ++i) {
    const energy::Number& number = table.numbers[i];
    fmt::print(" {} {:.3g}{}", energy::kCostNames[i], number.picojoules,
               number.is_scaled ? "*" : "");
    record[std::string(energy::kCostNames[i])] = {
        {"picojoules", number.picojoules}, {"scaled", number.is_scaled}, {"source", number.source}};
  }
  fmt::print(" pJ, {} (* scaled)\n", table.process);
}

}  // namespace

void show_actions(const lowering::StepProgram& program, const Device& device,
                  const ShownActions& shown) {
  const DeviceSizes sizes = *device.backend().sizes();
  const ActionCounts actions =
      count_actions(program.step_commands(), sizes, device.backend().memory());
  const auto clocks = static_cast<std::uint64_t>(shown.clocks.value_or(program.estimated_clocks()));
  const EnergyFacts facts{
      .actions = actions,
      .sizes = sizes,
      .options = shown.energy,
      .device_seconds = static_cast<double>(clocks) / (1e6 * device.info().clock_mhz),
      .batch_size = shown.batch_size,
      .samples = shown.batch_size};

  nlohmann::ordered_json record;
  record["command"] = "inspect";
  record["model"] = shown.model;
  record["config"] = device_config(device.info(), shown.precision);
  record["config"]["batch_size"] = shown.batch_size;
  record["clocks"] = clocks;
  record["clocks_source"] = shown.clocks ? "told" : "estimated by the planner";
  record["actions"] = actions_record(facts.actions);
  const std::optional<RecordedEnergy> energy = recorded_energy(facts, device.info());
  record["energy"] = write_energy(energy);

  std::optional<energy::Table> table;
  if (!shown.energy.process.empty()) {
    table = energy::make_table(shown.energy, sizes.array_size);
    show_table(*table, record["energy"]["table"]);
  }

  fmt::print("actions ");
  for (std::size_t i = 0; i < kActions; ++i) {
    if (actions.counts[i] != 0) fmt::print(" {} {}", kActionNames[i], actions.counts[i]);
  }
  fmt::print("\n");
  if (energy) {
    std::vector<std::string> parts;
    for (const auto& [cause, joules] : energy->by_cause) {
      parts.push_back(fmt::format("{} {:.3g}", cause, 1e3 * joules));
    }
    fmt::print("energy   {:.3g} mJ a step, estimated, {}, at {:g} MHz: {} mJ\n",
               1e3 * energy->joules, energy->process, device.info().clock_mhz,
               fmt::join(parts, ", "));
  }
  if (!shown.json.empty()) JsonFile(shown.json).write(record);
  if (shown.action_counts.empty()) return;
  write_file_atomically(
      shown.action_counts,
      energy::accelergy_input(actions, clocks, device.info().clock_mhz, sizes, table));
}

}  // namespace systole
