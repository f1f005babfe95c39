/// What the library exports besides XLA's handlers; host/python/systole/jax.py reads it through
/// ctypes.
#pragma once

#include "host/python/core/counters.h"

extern "C" {

/// The cores that $SYSTOLE_DEVICE asks for; 1 if it is wrong, which the first product says.
SYSTOLE_API int32_t systole_jax_core_count();

/// Returns 0, or 1 for a core that is not open.
SYSTOLE_API int32_t systole_jax_count(int32_t core, systole_core_counters* counters);

/// What the last execution of a compiled function did on all cores. Returns its number, which
/// grows; 0 before the first.
SYSTOLE_API int64_t systole_jax_last_execution(systole_step* done);
}
