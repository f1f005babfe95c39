#include "host/compiler/schedule/engine_times.h"

#include <cstddef>

namespace systole {
namespace {

std::int64_t seen_after(Engine giver, Engine taker) {
  switch (giver) {
    case kLoads:
      return EngineLatency::kLoad;
    case kProducts:
      return taker == kStores ? EngineLatency::kProduct : 1;
    case kStores:
      return taker == kLoads || taker == kVectors ? EngineLatency::kStore : 1;
    case kVectors:
      return EngineLatency::kVector;
  }
  return 1;
}

}  // namespace

std::int64_t EngineTimes::ready(Engine engine, const Step::After& after) const {
  std::int64_t ready = 0;
  for (const Engine other : kAllEngines) {
    if (after[other] == Step::kNothing) continue;
    ready = std::max(
        ready, ends_[other][static_cast<std::size_t>(after[other])] + seen_after(other, engine));
  }
  return ready;
}

void EngineTimes::add(Engine engine, const Step::After& after, std::int64_t clocks) {
  const std::int64_t ready = this->ready(engine, after);
  std::int64_t start = free_[engine];
  if (engine == kProducts) {
    // A product fetches its operands once it has load's token, ahead of its start; if it waits for
    // store alone, it fetches them once it has store's.
    const bool waits_for_load = after[kLoads] > loads_seen_;
    loads_seen_ = std::max(loads_seen_, after[kLoads]);
    const bool fetches_late = !waits_for_load && after[kStores] != Step::kNothing;
    if (ready > start || fetches_late) start = std::max(start, ready + EngineLatency::kRestart);
  } else {
    start = std::max(start, ready);
  }
  ends_[engine].push_back(start + clocks);
  free_[engine] = start + clocks;
  busy_[engine] += clocks;
}

}  // namespace systole
