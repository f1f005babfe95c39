#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "host/cli/training_run.h"
#include "host/device/device.h"

namespace systole {

/// `systole train`: one network, trained on one device.
void add_train_command(CLI::App& app);

/// Shared by all kinds of training: a line of the report, a device as "model, 16 x 16 array", and
/// the results.
void print_line(std::string_view what, const std::string& value);
std::string device_words(const DeviceInfo& info);
void print_result(const TrainingResult& result, const DeviceInfo& info);

}  // namespace systole
