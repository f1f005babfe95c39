#pragma once

#include <limits>

#include "host/graph/operation.h"

namespace systole::graph {

/// A reduction's function, by the name of the one operation in its region.
enum class Body : std::uint8_t { kAdd, kMultiply, kMaximum, kMinimum, kAnd, kOr };

/// Errors   GraphError through the call for another word
Body body_of(const Call& call);

/// One step of it: floats in double, integers modulo 2^32 at the end.
double apply(Body body, double a, double b);

}  // namespace systole::graph
