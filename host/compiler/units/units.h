#pragma once

#include "host/compiler/units/kept_values.h"

namespace systole::lowering {

/// Whether the next value of a state may be written by a kernel that also writes what others need,
/// which then come after the old value is gone.
enum class Updates : std::uint8_t { kJoined, kApart };

/// Writes the units that compute the stored values: products, and as few kernels as fit. Refuses
/// what does not fit into the vector engine's micro-programs; the units are incomplete then.
std::optional<Refusal> cut_units(KeptValues& kept, Updates updates);

}  // namespace systole::lowering
