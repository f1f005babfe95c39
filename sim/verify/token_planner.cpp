#include "sim/verify/token_planner.h"

#include <algorithm>

namespace systole::verify {
namespace {

constexpr int kWaitBit = 8;
constexpr int kSignalBit = 11;

void set_bit(device::CommandWord& command, int bit) { command.low |= std::uint64_t{1} << bit; }

}  // namespace

int TokenPlanner::add(Engine engine, const device::CommandWord& command, const Needs& needs) {
  const int index = size();
  commands_.push_back(command);
  auto& own = of_engine_[engine];
  own.push_back({.index = index, .after = own.empty() ? Needs{-1, -1, -1} : own.back().after});
  for (int giver = 0; giver < kEngines; ++giver) {
    if (giver == engine) continue;
    const auto from = static_cast<Engine>(giver);
    const int last = last_give_[giver][engine];
    const bool needed = needs[giver] > last;
    const bool freely = !needed && random_.below(8) == 0;
    if (!needed && !freely) continue;
    const int given_at = pick_giver(from, needed ? needs[giver] : last + 1);
    if (given_at >= 0) take(engine, index, from, given_at);
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

void TokenPlanner::take(Engine taker, int index, Engine giver, int given_at) {
  set_bit(commands_[static_cast<std::size_t>(given_at)], kSignalBit + taker);
  set_bit(commands_[static_cast<std::size_t>(index)], kWaitBit + giver);
  last_give_[giver][taker] = given_at;
  of_engine_[taker].back().after[giver] = given_at;
}

int TokenPlanner::first_ordered_after(Engine engine, Engine other, int index) const {
  for (const Ordered& command : of_engine_[engine]) {
    if (command.after[other] >= index) return command.index;
  }
  return -1;
}

}  // namespace systole::verify
