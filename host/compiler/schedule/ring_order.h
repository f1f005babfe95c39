#pragma once

#include <vector>

#include "host/compiler/schedule/step.h"

namespace systole {

/// Tokens of a pair that may be given and not yet taken, counted along the ring. The margin keeps
/// the device's counter from overflowing: an engine may have a full queue of commands, and a few
/// more on their way, that have not yet taken their tokens.
inline constexpr int kMostTokensOfRing = device::kMostTokens - device::kQueuedCommands - 4;

/// The tokens of each step. Waiting for a step of another engine includes all steps before it.
OfSteps<device::Tokens> tokens_of(const OfSteps<Step>& steps);

/// The order of steps in the ring, as the engine of each.
///
/// Steps are ordered by their estimated starts, but each comes after the steps it waits for. A wait
/// therefore always follows its signal, and the first unfinished step can always proceed, whatever
/// the length of the queues. A step that would give one token too many comes after the step that
/// takes the first of those. If that step in turn needs the giver, their tokens merge into one.
///
/// Shapes   starts: [engine][step], ascending
///          tokens: [engine][step]; merged ones are removed
/// Limits   most_tokens >= 1; no cycle of waits
/// Numbers  along the result, at most most_tokens of a pair are given and not yet taken
std::vector<Engine> ring_order(const OfSteps<Step>& steps, const OfSteps<std::int64_t>& starts,
                               int most_tokens, OfSteps<device::Tokens>& tokens);

}  // namespace systole
