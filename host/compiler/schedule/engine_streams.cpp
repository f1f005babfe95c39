#include "host/compiler/schedule/engine_streams.h"

#include <cstddef>

namespace systole {
namespace {

/// Appends a step's commands: the first waits, the last signals.
void append(const Step& step, device::Tokens tokens, std::vector<device::CommandWord>& commands) {
  const std::size_t first = commands.size();
  commands.insert(commands.end(), step.before.begin(), step.before.end());
  commands.push_back(step.command);
  device::add_tokens(commands[first], {.wait = tokens.wait});
  device::add_tokens(commands.back(), {.signal = tokens.signal});
}

}  // namespace

std::vector<device::CommandWord> EngineStreams::commands() const {
  auto tokens = tokens_of(steps_);
  std::array<std::size_t, kEngines> next{};
  std::array<device::CommandWord, kEngines> shape;
  device::CommandWord patches;
  std::vector<device::CommandWord> commands;
  for (const Engine engine : ring_order(steps_, places_, kMostTokensOfRing, tokens)) {
    const Step& step = steps_[engine][next[engine]];
    if (step.shape != device::CommandWord{} && step.shape != shape[engine])
      commands.push_back(shape[engine] = step.shape);
    // A scale with a seed restarts random numbers, so it is sent each time.
    const bool is_set = engine == kLoads && step.setting == patches;
    if (step.setting != device::CommandWord{} && !is_set) {
      commands.push_back(step.setting);
      if (engine == kLoads) patches = step.setting;
    }
    append(step, tokens[engine][next[engine]++], commands);
  }
  return commands;
}

}  // namespace systole
