#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/device/counters.h"
#include "host/device/device.h"
#include "host/report/recorded_run.h"

namespace systole {

/// The parts of a recorded run that all commands share; host/report/recorded_run.h has their
/// fields.
///
/// Limits   values that need a clock are null on a device without one; the keys are always there
RecordedDevice recorded_device(const DeviceInfo& info, std::string_view type);
RecordedCounts recorded_counts(const Counters& counters, const DeviceInfo& info);

/// The same as `config`, and as fields of a record.
nlohmann::ordered_json device_config(const DeviceInfo& info, std::string_view type);
void add_counters(nlohmann::ordered_json& record, const Counters& counters, const DeviceInfo& info);

/// Whether steps run in launches of several; on cpu they run one by one.
bool has_launches(const DeviceInfo& info);

/// The measuring machine's processor, as it names itself.
std::string machine_processor();

/// null, or the coverage of --check-rtl: reference, per_mille, seed, programs, checked_programs,
/// macs, checked_macs, cycles.
nlohmann::ordered_json check_record(const std::optional<CheckCoverage>& coverage);

/// The same in readable form: "2 of 345 programs ...".
std::string describe(const CheckCoverage& coverage);

/// This process's peak memory so far, in bytes, as the system counts it.
std::int64_t peak_memory_bytes();

/// Seconds for these cycles at the device's stated clock; 0 on cpu.
double device_seconds(const Counters& counters, const DeviceInfo& info);

/// The cycles in which no row entered the array, in readable form: "load 10, store 20, ... cycles".
std::string describe(const Stalls& stalls);

}  // namespace systole
