#pragma once

#include "host/compiler/refusal.h"
#include "host/compiler/units/kept_values.h"

namespace systole::lowering {

/// Puts the latest operation before `root` that fits into a kernel of its own into memory, one with
/// an element for all rows only if there is no other; false if there is none. Refuses what no
/// smaller kernel mends.
OrRefusal<bool> split_kernel(KeptValues& kept, const Root& root);

}  // namespace systole::lowering
