#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "host/device/device.h"
#include "host/device/energy_options.h"

namespace systole {

/// Adds --config NAME|FILE.json, which sets array, clock, memory and buffers. Other options
/// override it, so they must be added after it.
void add_configuration_option(CLI::App& command, DeviceOptions& options);

/// What --config was told; empty without it.
std::string configuration_word(const CLI::App& command);

/// The named configuration, or the one in a JSON file, as docs/model.md describes it.
///
/// Errors   UsageError for neither a known name nor a file; else with file, key and valid values
DeviceOptions configuration_of(const std::string& word);

/// The same for its energies; the default configuration's without a word.
EnergyOptions energy_of_configuration(const std::string& word);

/// Copies array, clock, memory, buffers and the link to the host.
void configure(DeviceOptions& options, const DeviceOptions& chosen);

}  // namespace systole
