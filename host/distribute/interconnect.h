#pragma once

#include <cstdint>

#include "host/device/device.h"

namespace systole {

/// The links between cores that are assumed for a device; the time of a gradient sum follows.
///
/// A 128 x 128 array, like a TPU v2 core's, gets that chip's published 496 Gbit/s. Any other gets
/// links as wide as its memory port, N bytes a clock. The latency of 1 us is assumed. None on cpu.
///
/// Source   Jouppi et al., "A domain-specific supercomputer for training deep neural networks",
///          CACM 63(7), 2020: four links per chip, each 496 Gbit/s in each direction
Link interconnect_of(const DeviceInfo& info);

/// Bytes that each core sends in a ring all-reduce of `size_bytes`: 2 (cores - 1) / cores of them,
/// rounded up.
std::int64_t ring_bytes(std::int64_t size_bytes, int cores);

/// Modelled seconds of that: 2 (cores - 1) messages one after the other, each of size / cores.
///
/// Source   Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
///          workstations", JPDC 69(2), 2009
double ring_seconds(const Link& link, std::int64_t size_bytes, int cores);

}  // namespace systole
