#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/report/comparison.h"

namespace systole::tests {

/// A record of `train` as JSON, on "cpu" or on an array: 3 steps of 2 ms, 0.5 ms of them on the
/// host; on an array 100,000 cycles a step at 100 MHz.
nlohmann::ordered_json some_record(const std::string& device, std::int64_t batch_size = 128);

/// The same, read.
RecordedRun some_run(const std::string& device, std::int64_t batch_size = 128);

/// cpu and model at batch sizes 32 and 128, where the device wins at 128 only.
Comparison some_comparison();

}  // namespace systole::tests
