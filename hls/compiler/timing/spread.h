#pragma once

#include <cmath>

#include "hls/compiler/schedule/delay_model.h"

namespace systole::compiler {

/// How much longer a path is in a module of so many flip-flops, those of its submodules included,
/// than the model's delays say: its parts lie farther apart. Fitted to the accelerator's routed
/// modules (docs/decisions/0074); only routed delays have wires that can be compared.
inline double spread_of(const DelayModel& model, double flip_flops) {
  constexpr double kNearby = 500;
  constexpr double kForEachDoubling = 0.05;
  if (model.origin != "routed" || flip_flops <= kNearby) return 1;
  return 1 + kForEachDoubling * std::log2(flip_flops / kNearby);
}

}  // namespace systole::compiler
