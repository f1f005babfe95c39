#pragma once

#include <array>
#include <cstdint>

namespace systole::graph {

/// Philox4x32-10: four random words from a counter and a key, without any state.
///
/// Source   Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
  constexpr std::uint32_t kWeyl[] = {0x9e3779b9U, 0xbb67ae85U};
  constexpr std::uint64_t kFactor[] = {0xd2511f53U, 0xcd9e8d57U};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = kFactor[0] * counter[0], second = kFactor[1] * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(first)};
    key = {key[0] + kWeyl[0], key[1] + kWeyl[1]};
  }
  return counter;
}

/// The four words of block `block` of a stream; the state is a key of two and a counter of two.
inline std::array<std::uint32_t, 4> random_block(const std::array<std::uint32_t, 4>& state,
                                                 std::uint64_t block) {
  const std::uint64_t counter = (std::uint64_t{state[3]} << 32 | state[2]) + block;
  return philox(
      {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0},
      {state[0], state[1]});
}

/// The state after `count` words.
inline std::array<std::uint32_t, 4> random_state_after(std::array<std::uint32_t, 4> state,
                                                       std::uint64_t count) {
  const std::uint64_t counter = (std::uint64_t{state[3]} << 32 | state[2]) + (count + 3) / 4;
  state[2] = static_cast<std::uint32_t>(counter);
  state[3] = static_cast<std::uint32_t>(counter >> 32);
  return state;
}

}  // namespace systole::graph
