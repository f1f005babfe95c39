#pragma once

#include "host/lowering/kept_values.h"

namespace systole::lowering {

/// Puts into memory what one kernel cannot compute and use: totals that are needed again, rows of
/// two lengths, slices and joins of what is computed, and bytes.
void find_borders(KeptValues& kept);

}  // namespace systole::lowering
