#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/distribute/strategy.h"
#include "host/nn/training/step_time.h"

namespace systole {

/// The part of a recorded training about its cores, besides their count.
///
/// {"ranks", "linked", "cycles": [each core's], "slowest_cycles", "link_wait_cycles":
/// [each core's], "busy_share" (0..1)}; see StepTime.
///
/// Limits   values that need a clock are null on a device without one
nlohmann::ordered_json cores_record(const Strategy& strategy, const nn::StepTime& time);

/// The same in readable form: a name and a text for each line; none for a single core.
struct Line {
  std::string what, text;
};
std::vector<Line> describe_cores(const Strategy& strategy, const nn::StepTime& time);

}  // namespace systole
