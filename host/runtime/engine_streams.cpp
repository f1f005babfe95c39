#include "host/runtime/engine_streams.h"

#include <algorithm>
#include <utility>

namespace systole {
namespace {

std::int64_t seen_after(Engine giver, Engine taker, const EngineLatency& latency) {
  switch (giver) {
    case kLoads:
      return latency.load;
    case kProducts:
      return taker == kStores ? latency.product : 1;
    case kStores:
      return taker == kLoads ? latency.store : 1;
  }
  return 1;
}

device::CommandWord with_tokens(device::CommandWord command, device::Tokens tokens) {
  device::set_field(command, 8, 3, tokens.wait);
  device::set_field(command, 11, 3, tokens.signal);
  return command;
}

}  // namespace

std::int32_t EngineStreams::add(Engine engine, Step step) {
  steps_[engine].push_back(std::move(step));
  return last(engine);
}

std::int64_t EngineStreams::clocks(const EngineLatency& latency) const {
  Starts starts;
  return time(latency, starts);
}

std::int64_t EngineStreams::time(const EngineLatency& latency, Starts& starts) const {
  std::array<std::int64_t, kEngines> free = {0, 0, 0};
  std::int64_t end = 0;
  for (int e = 0; e < kEngines; ++e) starts[e].clear();
  std::int32_t loads_seen = Step::kNothing;  // by products
  bool moved = true;
  while (moved) {
    moved = false;
    for (const Engine engine : {kLoads, kProducts, kStores}) {
      while (starts[engine].size() < steps_[engine].size()) {
        const Step& step = steps_[engine][starts[engine].size()];
        std::int64_t ready = 0;
        bool known = true;
        for (const Engine other : {kLoads, kProducts, kStores}) {
          if (step.after[other] == Step::kNothing) continue;
          const auto before = static_cast<std::size_t>(step.after[other]);
          if (before >= starts[other].size()) {
            known = false;
            break;
          }
          ready = std::max(ready, starts[other][before] + steps_[other][before].clocks +
                                      seen_after(other, engine, latency));
        }
        if (!known) break;
        std::int64_t start = free[engine];
        if (engine == kProducts) {
          // Operands are fetched behind load's token, ahead of the product; where it waits for
          // store alone, not before store's.
          const bool waits_for_load = step.after[kLoads] > loads_seen;
          loads_seen = std::max(loads_seen, step.after[kLoads]);
          const bool fetches_late = !waits_for_load && step.after[kStores] != Step::kNothing;
          if (ready > start || fetches_late) start = std::max(start, ready + latency.restart);
        } else {
          start = std::max(start, ready);
        }
        starts[engine].push_back(start);
        free[engine] = start + step.clocks;
        moved = true;
      }
    }
  }
  for (const Engine engine : {kLoads, kProducts, kStores}) end = std::max(end, free[engine]);
  return end + latency.store;
}

std::vector<device::CommandWord> EngineStreams::commands(const EngineLatency& latency,
                                                         int most_tokens) const {
  Starts starts;
  time(latency, starts);
  auto tokens = tokens_of(steps_);
  std::array<std::size_t, kEngines> next = {0, 0, 0};
  std::array<device::CommandWord, kEngines> shape;
  std::vector<device::CommandWord> commands;
  for (const Engine engine : ring_order(steps_, starts, most_tokens, tokens)) {
    const Step& step = steps_[engine][next[engine]];
    if (step.shape != shape[engine]) commands.push_back(shape[engine] = step.shape);
    if (step.setting != device::CommandWord{}) commands.push_back(step.setting);
    commands.push_back(with_tokens(step.command, tokens[engine][next[engine]]));
    ++next[engine];
  }
  return commands;
}

}  // namespace systole
