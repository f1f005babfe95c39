#pragma once

#include <cstdint>

#include "sim/memory/axi_signals.h"
#include "sim/memory/channel_pace.h"

namespace systole::sim {

/// The id whose read data goes next; -1 if none is ready. The oldest request's, or if reads are
/// mixed, any id's.
///
/// Shapes   reads: by id, queues of bursts with `ready_at`; requests are accepted one a clock, so
///          no two are ready at the same time for the first time
template <typename Queues>
int next_reader(const Queues& reads, std::uint64_t now, bool mixes, ChannelPace& pace) {
  int chosen = -1;
  for (int id = 0; id < kReaders; ++id) {
    const auto& queue = reads[static_cast<std::size_t>(id)];
    if (queue.empty() || queue.front().ready_at > now) continue;
    const bool replaces =
        chosen < 0 ||
        (mixes ? pace.coin() != 0
               : queue.front().ready_at < reads[static_cast<std::size_t>(chosen)].front().ready_at);
    if (replaces) chosen = id;
  }
  return chosen;
}

}  // namespace systole::sim
