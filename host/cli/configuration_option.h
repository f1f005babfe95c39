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

/// The named configuration, or the one in a JSON file.
///
/// Errors   UsageError for neither a known name nor a file; those of read_configuration
DeviceOptions configuration_of(const std::string& word);

/// The same for its energies; the default configuration's without a word.
EnergyOptions energy_of_configuration(const std::string& word);

/// Copies array, clock, memory, buffers and the link to the host.
void configure(DeviceOptions& options, const DeviceOptions& chosen);

/// A configuration from a JSON file: one object with "array" and optionally "clock_mhz",
/// "clock_source", "memory" {"latency_cycles", "bytes_per_cycle", "bus_bytes", "mib"}, "buffers"
/// {"bank_rows", "row_words", "weight_words", "mask_words"} and "host_link" {"gbit_per_second",
/// "latency_us", "source"} and "energy" (docs/energy.md).
///
/// Errors   UsageError with the file, the key and its valid values
DeviceOptions read_configuration(const std::string& path);

}  // namespace systole
