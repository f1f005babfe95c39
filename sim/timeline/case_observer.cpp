#include "sim/timeline/case_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace systole::sim {
namespace {

using device::Count;

constexpr std::uint32_t bit(Count count) { return std::uint32_t{1} << static_cast<int>(count); }

constexpr std::uint32_t kWork = bit(Count::kCommands) | bit(Count::kRows) | bit(Count::kTiles) |
                                bit(Count::kReadBeats) | bit(Count::kWriteBeats);

}  // namespace

void CaseObserver::clock(const Activity& activity, std::uint64_t clock) {
  end_ = clock;
  if ((activity.counting & kWork) != 0) works_.push_back(clock);
  if (!command_ || done_) return;
  if ((activity.counting & bit(Count::kCommands)) != 0) note_handed_on(activity, clock);
  if (handed_on_ && !second_program_) follow(activity, clock);
}

void CaseObserver::note_handed_on(const Activity& activity, std::uint64_t clock) {
  const std::uint32_t index = activity.handed_on.index;
  second_program_ = second_program_ || (index == 0 && commands_ != 0);
  if (second_program_) return;
  ++commands_;
  if (index != *command_) return;
  handed_on_ = true;
  clocks_ = {clock, clock};
}

// A command occupies its engine from the clock in which it is taken until the next is taken or the
// engine is idle.
void CaseObserver::follow(const Activity& activity, std::uint64_t clock) {
  const Activity::Engine* engines[] = {&activity.load, &activity.compute, &activity.store,
                                       &activity.vector};
  for (int i = 0; i < static_cast<int>(std::size(engines)); ++i) {
    const Activity::Engine& engine = *engines[i];
    if (engine_ == i) {
      clocks_.last = clock;
      done_ = engine.idle || engine.command.taken;
    } else if (engine_ < 0 && engine.command.taken && engine.command.index == *command_) {
      engine_ = i;
    }
  }
}

std::uint64_t CaseObserver::last_work(std::uint64_t clock) const {
  const auto after = std::upper_bound(works_.begin(), works_.end(), clock);
  return after == works_.begin() ? 0 : *std::prev(after);
}

CaseObserver::Clocks CaseObserver::of_command() const {
  if (handed_on_) return clocks_;
  throw std::invalid_argument(
      fmt::format("no command {} was handed on: the case's first program has handed on {}, counted "
                  "from 0",
                  *command_, commands_));
}

}  // namespace systole::sim
