#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "host/device/device.h"
#include "host/distribute/strategy.h"

namespace systole {

/// Adds --cores; the variable must outlive parsing.
void add_cores_option(CLI::App& command, std::optional<int>& cores);

/// The cores that a command trains on: the first three steps of host/distribute. One core unless
/// `cores` or $SYSTOLE_DEVICE say otherwise; an empty device is $SYSTOLE_DEVICE's or the default.
///
/// Errors   UsageError for an unknown device, machine or number of cores
Strategy open_strategy(const std::string& device, const DeviceOptions& machine,
                       std::optional<int> cores);

}  // namespace systole
