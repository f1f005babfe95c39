#include "host/nn/layers/initializer.h"

#include <cmath>

namespace systole::nn {
namespace {

constexpr float kCutAt = 2.0f;
constexpr double kDeviationOfCut = 0.87962566103423978;

// Deviation 1 before the cut at +-2. By rejection: exp only enters a comparison, so the last bit of
// another library's exp changes nothing.
float cut_normal(Generator& generator) {
  for (;;) {
    const float x = generator.uniform(-kCutAt, kCutAt);
    if (generator.uniform() < std::exp(-0.5 * double{x} * double{x})) return x;
  }
}

}  // namespace

Initial initial(Initializer initializer, std::int64_t fan_in, std::int64_t fan_out) {
  return [=](std::span<float> weights, Generator& generator) {
    initialize(weights, initializer, fan_in, fan_out, generator);
  };
}

Value dense_weight(Builder& builder, std::string_view name, std::int64_t inputs,
                   std::int64_t outputs) {
  return builder.weight(name, {inputs, outputs},
                        initial(Initializer::kGlorotUniform, inputs, outputs));
}

void initialize(std::span<float> weights, Initializer initializer, std::int64_t fan_in,
                std::int64_t fan_out, Generator& generator) {
  const bool glorot =
      initializer == Initializer::kGlorotUniform || initializer == Initializer::kGlorotNormal;
  const bool uniform =
      initializer == Initializer::kGlorotUniform || initializer == Initializer::kHeUniform;
  const std::int64_t fans = glorot ? fan_in + fan_out : fan_in;
  if (uniform) {
    const float limit = std::sqrt(6.0f / static_cast<float>(fans));
    for (float& w : weights) w = generator.uniform(-limit, limit);
  } else {
    const auto deviation =
        static_cast<float>(std::sqrt(2.0 / static_cast<double>(fans)) / kDeviationOfCut);
    for (float& w : weights) w = deviation * cut_normal(generator);
  }
}

}  // namespace systole::nn
