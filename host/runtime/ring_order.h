#pragma once

#include <vector>

#include "host/runtime/step.h"

namespace systole {

/// Tokens of a pair that may be given and not asked for yet, counted along the ring, so that the
/// device's counter never runs over: an engine has at most a queue of commands, and a few more on
/// their way, that are handed on and have not taken their tokens.
inline constexpr int kMostTokensOfRing = device::kMostTokens - device::kQueuedCommands - 4;

/// The tokens of each step: an engine that waits for a step of another waits for all before it too.
OfSteps<device::Tokens> tokens_of(const OfSteps<Step>& steps);

/// Whose step comes next in the ring, from the first to the last.
///
/// By their starts, were there no queues, but never before a step that it waits for: so every wait
/// lies behind its signal, and the first step that is not done can always go on, whatever the
/// length of the queues. A step that would give one token too many lies behind the step that takes
/// the first of those. Where that one needs the giver, the tokens between them become one.
///
/// Shapes   starts   as a step's number in its engine's stream; ascending
///          tokens   of the steps; fewer afterwards where they became one
/// Limits   most_tokens 1 or more, and waits without a cycle
/// Numbers  along the result, no more than most_tokens of a pair are given and not waited for
std::vector<Engine> ring_order(const OfSteps<Step>& steps, const OfSteps<std::int64_t>& starts,
                               int most_tokens, OfSteps<device::Tokens>& tokens);

}  // namespace systole
