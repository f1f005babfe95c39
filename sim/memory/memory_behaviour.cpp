#include "sim/memory/memory_behaviour.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace systole::sim {
namespace {

constexpr int kMaxBursts = 256;

void require(bool holds, const char* what, int value) {
  if (!holds) throw std::invalid_argument(fmt::format("memory: {}, not {}", what, value));
}

}  // namespace

bool ErrorRange::meets(std::uint64_t first, std::uint64_t last, bool is_read) const {
  if (!(is_read ? reads : writes) || first >= end || last < base) return false;
  const std::uint64_t from = std::max(first, base) - base;
  const std::uint64_t next = from + (every + at - from % every) % every;
  return base + next <= last && base + next < end;
}

void check_behaviour(const MemoryBehaviour& behaviour) {
  const MemoryBehaviour& b = behaviour;
  require(b.latency >= 1, "latency is at least 1 clock", b.latency);
  require(b.write_latency >= 1, "write latency is at least 1 clock", b.write_latency);
  require(b.bytes_per_cycle >= 0, "bytes per cycle cannot be negative", b.bytes_per_cycle);
  require(b.bursts >= 1 && b.bursts <= kMaxBursts, "1 to 256 bursts may be outstanding", b.bursts);
}

}  // namespace systole::sim
