#include "hls/compiler/schedule/delay_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

#include "hls/compiler/schedule/calibrated.inc"

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const DelayModel& model : kModels) names.push_back(model.target);
  return names;
}

DelayModel delay_model(const std::string& target) {
  for (const DelayModel& model : kModels) {
    if (model.target == target) return model;
  }
  throw Refusal(
      fmt::format("there is no target '{}'; name one of {}", target, fmt::join(targets(), ", ")));
}

DelayModel generic_delay_model() { return delay_model("generic"); }

}  // namespace systole::compiler
