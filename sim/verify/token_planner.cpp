#include "sim/verify/token_planner.h"

#include <algorithm>

namespace systole::verify {
namespace {

device::Tokens token(int giver, int taker) {
  return {.wait = static_cast<std::uint8_t>(giver < 0 ? 0 : 1 << giver),
          .signal = static_cast<std::uint8_t>(taker < 0 ? 0 : 1 << taker)};
}

}  // namespace

int TokenPlanner::add(Engine engine, std::span<const device::CommandWord> commands,
                      const Needs& needs) {
  const int first = size();
  commands_.insert(commands_.end(), commands.begin(), commands.end());
  const int index = size() - 1;
  auto& own = of_engine_[engine];
  own.push_back(
      {.first = first, .index = index, .after = own.empty() ? kNoNeeds : own.back().after});
  for (int giver = 0; giver < kEngines; ++giver) {
    if (giver == engine) continue;
    const auto from = static_cast<Engine>(giver);
    const int last = last_give_[giver][engine];
    const bool needed = needs[giver] > last;
    // Nothing that the vector engine writes is read by compute, which so waits for it only freely.
    const std::uint32_t one_in = giver == kVector && engine == kCompute ? 2 : 8;
    const bool freely = !needed && random_.below(one_in) == 0;
    if (!needed && !freely) continue;
    const int given_at = pick_giver(from, needed ? needs[giver] : last + 1);
    if (given_at >= 0) take(engine, from, given_at);
  }
  return index;
}

int TokenPlanner::pick_giver(Engine giver, int from) {
  const auto& others = of_engine_[giver];
  const auto first = std::find_if(others.begin(), others.end(),
                                  [&](const Ordered& other) { return other.index >= from; });
  if (first == others.end()) return -1;
  // Usually the earliest, so that engines run ahead of each other.
  const auto choices = static_cast<std::uint32_t>(others.end() - first);
  return (first + (random_.below(3) == 0 ? random_.below(choices) : 0))->index;
}

void TokenPlanner::take(Engine taker, Engine giver, int given_at) {
  Ordered& own = of_engine_[taker].back();
  device::add_tokens(commands_[static_cast<std::size_t>(given_at)], token(-1, taker));
  device::add_tokens(commands_[static_cast<std::size_t>(own.first)], token(giver, -1));
  last_give_[giver][taker] = given_at;
  own.after[giver] = given_at;
}

int TokenPlanner::first_ordered_after(Engine engine, Engine other, int index) const {
  for (const Ordered& command : of_engine_[engine]) {
    if (command.after[other] >= index) return command.index;
  }
  return -1;
}

}  // namespace systole::verify
