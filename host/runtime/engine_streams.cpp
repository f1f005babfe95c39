#include "host/runtime/engine_streams.h"

#include <cstddef>

namespace systole {
namespace {

device::CommandWord with_tokens(device::CommandWord command, device::Tokens tokens) {
  device::set_field(command, 8, 3, tokens.wait);
  device::set_field(command, 11, 3, tokens.signal);
  return command;
}

}  // namespace

std::vector<device::CommandWord> EngineStreams::commands() const {
  auto tokens = tokens_of(steps_);
  std::array<std::size_t, kEngines> next = {0, 0, 0};
  std::array<device::CommandWord, kEngines> shape;
  std::vector<device::CommandWord> commands;
  for (const Engine engine : ring_order(steps_, times_.starts(), kMostTokensOfRing, tokens)) {
    const Step& step = steps_[engine][next[engine]];
    if (step.shape != shape[engine]) commands.push_back(shape[engine] = step.shape);
    if (step.setting != device::CommandWord{}) commands.push_back(step.setting);
    commands.push_back(with_tokens(step.command, tokens[engine][next[engine]]));
    ++next[engine];
  }
  return commands;
}

}  // namespace systole
