/// What the library exports besides PJRT's table; host/python/systole/pjrt.py reads it through
/// ctypes.
#pragma once

#include "host/capi/systole.h"

extern "C" {

/// What the last program with products did. Returns its number, which grows; 0 before the first.
///
/// on_host   why the program does not run whole on its device; empty if it does. Texts are valid
///           until the thread's next call
SYSTOLE_API int64_t systole_pjrt_last_run(systole_step* step, const char** device,
                                          const char** on_host);

/// A product or convolution that this processor runs in a compiled program, numbered in the order
/// of compilation over all programs; null beyond the last. The text is valid until the process
/// ends.
SYSTOLE_API const char* systole_pjrt_fallback(int64_t index);
}
