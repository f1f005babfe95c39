#include "host/nn/training/not_finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ranges>

namespace systole::nn {
namespace {

std::string words(const char* what, const LayerState& layer) {
  return fmt::format("the {} of layer {} ({}) is not finite", what, layer.index, layer.kind);
}

}  // namespace

bool all_finite(std::span<const float> values) {
  // Without a branch, so that the compiler makes vectors of it.
  constexpr std::uint32_t kExponent = 0x7f80'0000U;
  std::uint32_t found = 0;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    found |= static_cast<std::uint32_t>((bits & kExponent) == kExponent);
  }
  return found == 0;
}

std::string first_not_finite(std::span<const LayerState> layers) {
  for (const LayerState& layer : layers) {
    if (!all_finite(layer.output->values)) return words("output", layer);
  }
  for (const LayerState& layer : std::views::reverse(layers)) {
    const bool finite = all_finite(layer.d_output->values) &&
                        std::ranges::all_of(layer.parameters, [](const Parameter& parameter) {
                          return all_finite(parameter.gradient);
                        });
    if (!finite) return words("gradient", layer);
  }
  return {};
}

}  // namespace systole::nn
