#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/nn/layers/builder.h"
#include "host/nn/optimizers/optimizer.h"

namespace systole::nn {

/// A parameter in a graph, with its gradient there.
struct Trained {
  Parameter* parameter = nullptr;
  Value value, gradient;
};

/// The input of an optimizer's memory for a parameter's input: "_1.dense.weight.slot0".
std::string slot_name(std::string_view input, std::size_t slot);

/// Writes clipping and the optimizer into a graph, which then updates the parameters and their
/// slots. Returns how many slots each has.
///
/// rate, update: f32 scalars; update counts from 1
std::vector<std::size_t> write_updates(graph::Graph& graph, std::span<const Trained> trained,
                                       const Optimizer& optimizer, std::optional<float> clip_norm,
                                       Value rate, Value update);

/// Scales the gradients so that their global norm is at most `limit` > 0.
///
/// Source   Pascanu, Mikolov and Bengio, ICML 2013, section 3.2
std::vector<Value> clip_norm(std::span<const Value> gradients, double limit);

}  // namespace systole::nn
