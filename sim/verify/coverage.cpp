#include "sim/verify/coverage.h"

#include <fmt/format.h>

#include "sim/verify/followers.h"
#include "sim/verify/kinds.h"

namespace systole::verify {
namespace {

using device::Count;

std::string counter_kind(std::size_t counter) {
  return fmt::format("counts: {}", device::kCounterNames[counter]);
}

/// Endings by a fault that commands bring, which a fence can follow.
constexpr Ending kFollowed[] = {
    Ending::kIllegalCommand, Ending::kReadWindow,   Ending::kWriteWindow,
    Ending::kReadError,      Ending::kWriteError,   Ending::kTokenUnderflow,
    Ending::kTokenOverflow,  Ending::kMissingShape, Ending::kLinkStall};

std::string followed_kind(Ending ending) {
  return fmt::format("a fence after: {}", kEndingNames[static_cast<int>(ending)]);
}

}  // namespace

std::map<std::string, std::uint64_t> Coverage::all_kinds() {
  std::map<std::string, std::uint64_t> kinds;
  for (const std::string& kind : kinds_to_have()) kinds[kind] = 0;
  for (std::size_t i = 0; i < device::kCounterNames.size(); ++i) kinds[counter_kind(i)] = 0;
  for (const Ending ending : kFollowed) kinds[followed_kind(ending)] = 0;
  for (const char* kind :
       {"several doorbells", "host: polls", "host: interrupts", "host: resumes"}) {
    kinds[kind] = 0;
  }
  return kinds;
}

void Coverage::add(const Case& which, const Program& program, const Outcome& outcome) {
  const auto count = [&](Count which_one) {
    return outcome.counters[static_cast<std::size_t>(which_one)];
  };
  ++totals_.programs;
  totals_.commands += count(Count::kCommands);
  totals_.tiles += count(Count::kTiles);
  totals_.cycles += count(Count::kCycles);

  // Commands after a fault of the ring were never handed on.
  for (const std::string& kind : kinds_of(which, program, count(Count::kCommands))) hit(kind);
  for (std::size_t i = 0; i < outcome.counters.size(); ++i) {
    if (outcome.counters[i] != 0) hit(counter_kind(i));
  }
  if (has_fence_after_fault(program)) hit(followed_kind(program.ending));
  if (outcome.doorbells > 1) hit("several doorbells");
  if (outcome.resumes != 0) hit("host: resumes");
  hit(outcome.polled ? "host: polls" : "host: interrupts");
}

std::string Coverage::table() const {
  std::string text;
  for (const auto& [kind, count] : counts_) text += fmt::format("  {:<44}{:>10}\n", kind, count);
  return text;
}

int Coverage::missing() const {
  int missing = 0;
  for (const auto& [kind, count] : counts_) missing += count == 0;
  return missing;
}

}  // namespace systole::verify
