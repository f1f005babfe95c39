#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "host/cli/training_run.h"
#include "host/driver/device.h"

namespace systole {

/// `systole train`: one network, trained on one device.
void add_train_command(CLI::App& app);

/// What every kind of training prints: a line of the report, "model, 16 x 16 array", and what came
/// of it.
void print_line(std::string_view what, const std::string& value);
std::string device_words(const DeviceInfo& info);
void print_result(const TrainingResult& result, const DeviceInfo& info);

}  // namespace systole
