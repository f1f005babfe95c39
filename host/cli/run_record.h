#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/driver/counters.h"
#include "host/driver/device.h"

namespace systole {

/// The parts of a recorded run that every command writes in the same words.
///
/// `config` has device, type, threads, array (N), memory (what feeds the array), clock_mhz and
/// clock_source ("assumed"). Beside it stand cycles (simulated, exact), macs (useful
/// multiply-adds), utilization (0..1), stalls {load, store, weights, sums, idle} and
/// device_seconds.
///
/// Units    cycles and stalls are device clocks; device_seconds is cycles / clock
/// Limits   what needs a clock is null on a device without one, so that the keys stay the same
nlohmann::ordered_json device_config(const DeviceInfo& info, std::string_view type);

/// Who measured: `processor` in its maker's words, and its `threads`.
nlohmann::ordered_json machine_record();

/// Adds cycles, macs, utilization, stalls and device_seconds to a record.
void add_counters(nlohmann::ordered_json& record, const Counters& counters, const DeviceInfo& info);

/// Adds check: null, or what --check-rtl covered: reference, per_mille, seed, tiles, checked_tiles,
/// unreachable_tiles, macs, checked_macs, cycles.
void add_check(nlohmann::ordered_json& record, const std::optional<CheckCoverage>& coverage);

/// "12 of 3456 tiles ...": the same for people.
std::string describe(const CheckCoverage& coverage);

/// The most memory that this process has held so far, in bytes, as the system counts it.
std::int64_t peak_memory_bytes();

/// Seconds that the device needs for these cycles at its stated clock; 0 on cpu.
double device_seconds(const Counters& counters, const DeviceInfo& info);

/// "load 10, store 20, ... cycles": where no row entered the array, for people.
std::string describe(const Stalls& stalls);

}  // namespace systole
