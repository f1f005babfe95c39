#pragma once

#include "host/graph/operation.h"

namespace systole::graph {

/// A reduction's function, by the name of the one operation in its region; `set`, of scatter
/// alone, takes the second value.
enum class Body : std::uint8_t { kAdd, kMultiply, kMaximum, kMinimum, kAnd, kOr, kSet };

/// Errors   GraphError through the call for another word
Body body_of(const Call& call);

/// a * b: floats in double, integers modulo 2^32, which double does not hold exactly.
double multiply(Element element, double a, double b);

/// One step of it: floats in double, integers modulo 2^32, of sums at the end.
double apply(Body body, Element element, double a, double b);

}  // namespace systole::graph
