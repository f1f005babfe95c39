/// What the plugins say about a core; host/python/systole/library.py reads it through ctypes.
#pragma once

#include <stdint.h>

#include "host/capi/systole.h"

extern "C" {

/// Since the core was opened.
struct systole_core_counters {
  systole_device_info core;     ///< valid until it closes
  systole_step done;            ///< sums over all runs, and the utilization of their clocks
  uint64_t calls;               ///< products and convolutions that the framework asked for
  uint64_t to_core, from_core;  ///< copies between the core's memory and TensorFlow's CPU device
};
}
