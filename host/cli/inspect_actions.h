#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/compiler/program/step_program.h"
#include "host/device/device.h"
#include "host/device/energy_options.h"

namespace systole {

/// A step whose actions are shown, and where they go besides.
struct ShownActions {
  std::string model, precision;
  std::int64_t batch_size = 1;
  EnergyOptions energy = {};           ///< the device's configuration's
  std::optional<std::int64_t> clocks;  ///< of a step; none: as the planner estimates them
  std::string json, action_counts;     ///< files; empty: none is written
};

/// Prints what one step of a program makes the device do and what that costs, and writes both: as a
/// record, and as Accelergy reads them.
///
/// Errors   std::runtime_error for a file that cannot be written
void show_actions(const lowering::StepProgram& program, const Device& device,
                  const ShownActions& shown);

}  // namespace systole
