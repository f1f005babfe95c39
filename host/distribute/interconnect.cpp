#include "host/distribute/interconnect.h"

#include "systole/support/ceil_div.h"

namespace systole {
namespace {

constexpr int kTpuArray = 128;
constexpr double kTpuLinkGbitPerSecond = 496;
constexpr double kAssumedLatencyUs = 1;

}  // namespace

Link interconnect_of(const DeviceInfo& info) {
  if (info.array_size == 0) return {.source = "none: cores of the cpu have no link"};
  if (info.array_size == kTpuArray) {
    return {.gbit_per_second = kTpuLinkGbitPerSecond,
            .latency_us = kAssumedLatencyUs,
            .source = "TPU v2's published link (CACM 2020), assumed latency"};
  }
  return {.gbit_per_second = 8.0 * info.array_size * info.clock_mhz * 1e-3,
          .latency_us = kAssumedLatencyUs,
          .source = "assumed: as wide as the memory port, N bytes a clock"};
}

std::int64_t ring_bytes(std::int64_t size_bytes, int cores) {
  return ceil_div(2 * (cores - 1) * size_bytes, cores);
}

double ring_seconds(const Link& link, std::int64_t size_bytes, int cores) {
  if (cores < 2) return 0;
  return 2.0 * (cores - 1) * link.seconds(static_cast<double>(size_bytes) / cores);
}

}  // namespace systole
