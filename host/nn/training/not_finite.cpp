#include "host/nn/training/not_finite.h"

#include <bit>
#include <cstdint>

namespace systole::nn {
bool all_finite(std::span<const float> values) {
  // Branch-free, so that the compiler vectorises it.
  constexpr std::uint32_t kExponent = 0x7f80'0000U;
  std::uint32_t found = 0;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    found |= static_cast<std::uint32_t>((bits & kExponent) == kExponent);
  }
  return found == 0;
}

}  // namespace systole::nn
