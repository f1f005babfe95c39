/// What the plugin exports besides TensorFlow's entry points; host/python/systole/tensorflow.py
/// reads it through ctypes.
#pragma once

#include <stdint.h>

#include "host/capi/systole.h"

extern "C" {

/// Since the core was opened.
struct systole_tensorflow_counters {
  systole_device_info core;     ///< valid until it closes
  systole_step done;            ///< sums over all runs, and the utilization of their clocks
  uint64_t calls;               ///< products and convolutions that TensorFlow asked for
  uint64_t to_core, from_core;  ///< copies between the core's memory and TensorFlow's CPU device
};

/// Returns 0, or 1 for a core that is not open.
SYSTOLE_API int32_t systole_tensorflow_count(int32_t core, systole_tensorflow_counters* counters);
}
