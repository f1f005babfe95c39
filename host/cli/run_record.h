#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/device/counters.h"
#include "host/device/device.h"

namespace systole {

/// The parts of a recorded run that all commands share.
///
/// `config` has device, type, threads, array (N), memory (a description), clock_mhz, clock_source
/// ("assumed") and host_link. Next to it are cycles (simulated, exact), macs (useful
/// multiply-adds), utilization (0..1), stalls {load, store, weights, sums, vector, idle}, busy
/// {array, vector, reads, writes} and device_seconds. A plugin's device also has platform ("cuda"),
/// chip ("NVIDIA H200") and plugin ("PJRT 0.112, ...") in its config; its times are measured.
///
/// Units    cycles and stalls are device clocks; device_seconds is cycles / clock
/// Limits   values that need a clock are null on a device without one; the keys are always there
nlohmann::ordered_json device_config(const DeviceInfo& info, std::string_view type);

/// Whether steps run in launches of several; on cpu they run one by one.
bool has_launches(const DeviceInfo& info);

/// The measuring machine: its `processor`, as it names itself, and its `threads`.
nlohmann::ordered_json machine_record();

/// {"gbit_per_second", "latency_us", "source"}.
nlohmann::ordered_json link_record(const Link& link);

/// Adds cycles, macs, utilization, stalls, busy and device_seconds to a record.
void add_counters(nlohmann::ordered_json& record, const Counters& counters, const DeviceInfo& info);

/// Adds check: null, or the coverage of --check-rtl: reference, per_mille, seed, programs,
/// checked_programs, macs, checked_macs, cycles.
void add_check(nlohmann::ordered_json& record, const std::optional<CheckCoverage>& coverage);

/// The same in readable form: "2 of 345 programs ...".
std::string describe(const CheckCoverage& coverage);

/// This process's peak memory so far, in bytes, as the system counts it.
std::int64_t peak_memory_bytes();

/// Seconds for these cycles at the device's stated clock; 0 on cpu.
double device_seconds(const Counters& counters, const DeviceInfo& info);

/// The cycles in which no row entered the array, in readable form: "load 10, store 20, ... cycles".
std::string describe(const Stalls& stalls);

}  // namespace systole
