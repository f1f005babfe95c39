#pragma once

#include <cstdint>

namespace systole {

/// SplitMix64: random numbers from a state of one word, the same with every compiler. Not secure.
///
/// Numbers  the state advances by kSplitMixStep, period 2^64; split_mix maps a state to its number,
///          one to one
/// Source   Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014
inline constexpr std::uint64_t kSplitMixStep = 0x9e37'79b9'7f4a'7c15;

constexpr std::uint64_t split_mix(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xbf58'476d'1ce4'e5b9;
  state = (state ^ (state >> 27)) * 0x94d0'49bb'1331'11eb;
  return state ^ (state >> 31);
}

}  // namespace systole
