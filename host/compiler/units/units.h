#pragma once

#include "host/compiler/units/kept_values.h"

namespace systole::lowering {

/// Writes the units that compute the stored values: products, and as few kernels as fit. Refuses
/// what does not fit into the vector engine's micro-programs; the units are incomplete then.
std::optional<Refusal> cut_units(KeptValues& kept);

}  // namespace systole::lowering
