#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "host/driver/device.h"

namespace systole {

/// Adds --config NAME|FILE.json, which sets array, clock, memory and buffers. What other options
/// say of the same things holds, so it is to be added before them.
void add_configuration_option(CLI::App& command, DeviceOptions& options);

/// The named configuration, or the one in a JSON file.
///
/// Errors   UsageError for a name there is not that is no file either; as read_configuration
DeviceOptions configuration_of(const std::string& word);

/// Takes over array, clock, memory and buffers.
void configure(DeviceOptions& options, const DeviceOptions& chosen);

/// A configuration from a JSON file: one object with "array", and where they differ from the
/// default "clock_mhz", "clock_source", "memory" {"latency_cycles", "bytes_per_cycle"} and
/// "buffers" {"bank_rows", "row_words", "weight_words", "mask_words"}.
///
/// Errors   UsageError that names the file and the key, with what may stand there
DeviceOptions read_configuration(const std::string& path);

}  // namespace systole
