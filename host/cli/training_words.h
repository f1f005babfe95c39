#pragma once

#include <string>
#include <string_view>

#include "host/cli/training_run.h"
#include "host/device/device.h"

namespace systole {

/// What commands print: a line, a device as "model, 16 x 16 array", how well the array was used,
/// and the results of any kind of training.
void print_line(std::string_view what, const std::string& value);
std::string device_words(const DeviceInfo& info);
void print_use(const Counters& counters, const DeviceInfo& info);
void print_result(const TrainingResult& result, const DeviceInfo& info);

}  // namespace systole
