#include "sim/verify/line_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "sim/verify/followers.h"
#include "sim/verify/program_writer.h"
#include "sim/verify/verification.h"
#include "systole/cosim/random.h"

namespace systole::verify {
namespace {

using cosim::Random;
using device::VectorStreamEnd;

/// Longer than any core computes between two meetings, and what a faulty round's cores wait.
constexpr std::uint32_t kLongPatience = 100'000'000;
constexpr std::uint32_t kPatience = 60'000;

/// Words that go from core `first` through those between to core `last`.
struct Journey {
  int first, last, words;

  Meeting of(int core) const {
    const bool goes_up = first < last;
    const int low = std::min(first, last), high = std::max(first, last);
    if (core < low || core > high) return {};
    return {.from = core == first ? VectorStreamEnd::kMemory
                    : goes_up     ? VectorStreamEnd::kDown
                                  : VectorStreamEnd::kUp,
            .to = core == last ? VectorStreamEnd::kMemory
                  : goes_up    ? VectorStreamEnd::kUp
                               : VectorStreamEnd::kDown,
            .words = words};
  }
};

std::vector<Journey> random_journeys(int cores, Random& random) {
  std::vector<Journey> journeys(1 + random.below(5));
  for (Journey& journey : journeys) {
    journey.first = random.between(0, cores - 1);
    do journey.last = random.between(0, cores - 1);
    while (journey.last == journey.first);
    if (random.below(3) == 0) {  // all of the line, as sums go
      journey = {.first = 0, .last = cores - 1, .words = 0};
      if (random.below(2) == 0) std::swap(journey.first, journey.last);
    }
    journey.words = random.below(8) == 0 ? random.between(30, 90) : random.between(1, 24);
  }
  return journeys;
}

/// The programs of all cores for these journeys; `number` is that of the round.
void add_round(LineCase& line, const std::vector<Journey>& journeys, Round round, int number,
               Random& random) {
  constexpr Ending kOwnFaults[] = {Ending::kIllegalCommand, Ending::kReadWindow,
                                   Ending::kWriteWindow};
  const auto count = static_cast<int>(journeys.size());
  const int at = random.between(0, count - 1);
  if (round.ending == LineEnding::kLength) {
    // Only a core that takes part in a journey can differ in it.
    const Journey& journey = journeys[static_cast<std::size_t>(at)];
    round.culprit = random.below(2) == 0 ? journey.first : journey.last;
  }
  for (std::size_t core = 0; core < line.cores.size(); ++core) {
    const bool is_culprit = static_cast<int>(core) == round.culprit;
    std::vector<Meeting> meetings;
    for (const Journey& journey : journeys) meetings.push_back(journey.of(static_cast<int>(core)));
    if (is_culprit && round.ending == LineEnding::kLength) {
      int& words = meetings[static_cast<std::size_t>(at)].words;
      words = words == 1 ? 2 : words - 1;
    }
    const Ending ending = is_culprit && round.ending == LineEnding::kFault
                              ? kOwnFaults[random.below(std::size(kOwnFaults))]
                              : Ending::kDone;
    Case& own = line.cores[core];
    ProgramWriter writer(own.array_size, own.layout, random, number);
    own.programs.push_back(writer.write_meetings(meetings, ending, at));
    own.programs.back().link_patience = round.patience;
    add_followers(own.programs.back(), own.layout, own.array_size, random);
  }
  line.rounds.push_back(round);
}

}  // namespace

LineCase make_line_case(std::uint64_t seed, int array_size, int cores) {
  constexpr std::uint64_t kFarApart = 0x94d049bb133111eb;
  Random random(seed * kFarApart + static_cast<std::uint64_t>(array_size * 16 + cores));
  LineCase line{.seed = seed};
  for (int core = 0; core < cores; ++core) {
    // Memory, host and bus of an ordinary case; its programs are not run.
    Case own = make_case(random.bits32(), array_size);
    own.programs.clear();
    line.cores.push_back(std::move(own));
  }
  Round round{.ending = static_cast<LineEnding>(
                  random.below(2) == 0 ? 0 : random.between(1, kLineEndings - 1)),
              .culprit = random.between(0, cores - 1),
              .patience = kPatience};
  int number = 0;
  if (round.ending != LineEnding::kDone) {
    if (round.ending == LineEnding::kStall) {
      round.culprit = random.between(1, cores - 1);
      round.stalls = 1'000'000;
      round.patience = 1000 + random.below(20'000);
    }
    add_round(line, random_journeys(cores, random), round, number++, random);
  }
  add_round(line, random_journeys(cores, random), {.patience = kLongPatience}, number, random);
  return line;
}

std::string describe(const LineCase& which) {
  std::string text = fmt::format("seed {}, {} cores\n", which.seed, which.cores.size());
  for (std::size_t i = 0; i < which.rounds.size(); ++i) {
    const Round& round = which.rounds[i];
    text += fmt::format("round {}: {}; core {}, patience {}\n", i,
                        kLineEndingNames[static_cast<int>(round.ending)], round.culprit,
                        round.patience);
  }
  for (std::size_t core = 0; core < which.cores.size(); ++core) {
    text += fmt::format("core {}: {}", core, describe(which.cores[core]));
  }
  return text;
}

}  // namespace systole::verify
