#pragma once

#include "host/compiler/units/kept_values.h"

namespace systole::lowering {

/// Puts into memory what one kernel cannot both compute and use: totals that are needed again, rows
/// of two lengths, slices and concatenations of computed values, and bytes.
void find_borders(KeptValues& kept);

}  // namespace systole::lowering
