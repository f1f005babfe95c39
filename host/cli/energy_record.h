#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "host/device/action_counts.h"
#include "host/device/device.h"
#include "host/device/device_sizes.h"
#include "host/device/energy_options.h"

namespace systole {

/// What a training's energy follows from.
struct EnergyFacts {
  std::optional<ActionCounts> actions = {};  ///< of all steps; none of a CPU
  DeviceSizes sizes = {};
  EnergyOptions options = {};
  double device_seconds = 0;  ///< of all cores together, for each of which static power flows
  std::int64_t steps = 1, batch_size = 1, samples = 1;
  double processor_seconds = 0;        ///< measured, of all threads, of a step of the fastest tenth
  std::optional<double> cpu_joules{};  ///< of all steps, where the machine shows them
};

/// Adds actions, or null on a device that has none: how often it did what costs energy.
void add_actions(nlohmann::ordered_json& record, const std::optional<ActionCounts>& actions);

/// Adds energy: null, or label ("estimated", "measured", "published power x processor time"),
/// source, joules_a_step, joules_a_sample and joules_an_epoch; of a device also process, memory,
/// by_cause (joules a step, which add up) and other_processes (joules a step); of published power
/// also processor_seconds_a_step.
void add_energy(nlohmann::ordered_json& record, const EnergyFacts& facts, const DeviceInfo& info);

}  // namespace systole
