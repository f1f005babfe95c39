#pragma once

#include <cstdint>

#include "host/driver/device_map.h"

namespace systole::timing {

/// A command, decoded once.
struct TimedCommand {
  device::Opcode opcode{};
  int wait = 0, signal = 0;  ///< tokens: load 1, compute 2, store 4
  device::CommandWord word;
};

inline constexpr int kLoadToken = 1, kComputeToken = 2, kStoreToken = 4;

inline TimedCommand timed(const device::CommandWord& word) {
  const device::Tokens tokens = device::tokens_of(word);
  return {device::opcode_of(word), tokens.wait, tokens.signal, word};
}

}  // namespace systole::timing
