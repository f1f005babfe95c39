#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "host/driver/counters.h"
#include "host/driver/device.h"

namespace systole {

/// The parts of a recorded run that every command writes in the same words (docs: `systole
/// --help`).
///
/// Units    cycles are device clocks; device_seconds is cycles / clock; null on a device without
///          a clock
nlohmann::ordered_json device_config(const DeviceInfo& info, std::string_view type);

/// Adds cycles, macs, utilization, stalls and device_seconds to a record.
void add_counters(nlohmann::ordered_json& record, const Counters& counters, const DeviceInfo& info);

/// Seconds that the device needs for these cycles at its stated clock; 0 on cpu.
double device_seconds(const Counters& counters, const DeviceInfo& info);

}  // namespace systole
