/// What the library exports besides PJRT's table; host/python/systole/pjrt.py reads it through
/// ctypes.
#pragma once

#include "host/capi/systole.h"

extern "C" {

/// What the last step did (LastRun). Returns its number, which grows; 0 before the first.
///
/// on_host   why the program does not run whole on its device; empty if it does. Texts are valid
///           until the thread's next call
SYSTOLE_API int64_t systole_pjrt_last_run(systole_step* step, const char** device,
                                          const char** on_host);

/// A product or convolution that this processor runs in a compiled program, numbered in the order
/// of compilation over all programs; null beyond the last. The text is valid until the process
/// ends.
SYSTOLE_API const char* systole_pjrt_fallback(int64_t index);

/// Divides a program of several devices, a portable artifact with the shardings of its values, into
/// what each device runs; calls one of the two functions below before it returns.
typedef struct systole_pjrt_partitioned systole_pjrt_partitioned;
typedef void (*systole_pjrt_partitioner)(const char* artifact, size_t size,
                                         systole_pjrt_partitioned* result);
/// Names the process's partitioner; host/python/systole/partition.py is JAX's.
SYSTOLE_API void systole_pjrt_set_partitioner(systole_pjrt_partitioner partitioner);

/// shardings: a HloModuleProtoWithConfig that says how parameters and results lie
SYSTOLE_API void systole_pjrt_give_partitioned(systole_pjrt_partitioned* result,
                                               const char* artifact, size_t size,
                                               const char* shardings, size_t shardings_size);
SYSTOLE_API void systole_pjrt_refuse_partitioning(systole_pjrt_partitioned* result,
                                                  const char* error);
}
