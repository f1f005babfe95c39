#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "host/device/action_counts.h"
#include "host/device/device.h"
#include "host/device/device_sizes.h"
#include "host/device/energy_options.h"
#include "host/report/recorded_run.h"

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

/// How often a device did what costs energy, by name; null on a device that has no such counts.
nlohmann::ordered_json actions_record(const std::optional<ActionCounts>& actions);

/// None where it is not known: of a plugin's device, or of a processor that shows no energy and
/// whose power is not known.
std::optional<RecordedEnergy> recorded_energy(const EnergyFacts& facts, const DeviceInfo& info);

}  // namespace systole
