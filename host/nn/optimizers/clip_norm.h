#pragma once

#include <span>

#include "host/nn/layers/parameter.h"

namespace systole::nn {

/// Scales all gradients together so that their norm is at most `limit`, and gives the norm before.
///
/// Limits   limit > 0
/// Numbers  norm = sqrt(sum of squares over all values of all parameters), in fp64, in their order
/// Source   Pascanu, Mikolov and Bengio, ICML 2013, section 3.2
double clip_norm(std::span<Parameter* const> parameters, double limit);

}  // namespace systole::nn
