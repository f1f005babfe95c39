#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "host/nn/layers/builder.h"

namespace systole::nn {

/// Keras' initializers: mean 0, variance from the layer's fans.
///
/// Numbers  variance 2 / (fan_in + fan_out) for Glorot, 2 / fan_in for He. Uniform: within
///          +-sqrt(3 * variance); normal: cut at two deviations and scaled by 1 / 0.87962566, which
///          restores the variance
/// Source   Glorot and Bengio, AISTATS 2010; He et al., ICCV 2015
enum class Initializer : std::uint8_t { kGlorotUniform, kGlorotNormal, kHeUniform, kHeNormal };

/// The same for Builder::weight.
Initial initial(Initializer initializer, std::int64_t fan_in, std::int64_t fan_out);

/// A matrix [inputs, outputs], Glorot uniform.
Value dense_weight(Builder& builder, std::string_view name, std::int64_t inputs,
                   std::int64_t outputs);

/// Limits   fan_in, fan_out >= 1
void initialize(std::span<float> weights, Initializer initializer, std::int64_t fan_in,
                std::int64_t fan_out, Generator& generator);

}  // namespace systole::nn
