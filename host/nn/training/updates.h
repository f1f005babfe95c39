#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/cpu/program.h"
#include "host/nn/layers/builder.h"
#include "host/nn/optimizers/optimizer.h"

namespace systole::nn {

/// Updates all trained parameters from gradients that are on the host: clipping, then the
/// optimizer, as one graph on this processor.
///
/// Numbers  fp32; the global norm is the root of the sum of all gradients' squares
class Updates {
 public:
  /// rate: the learning rate of this update, which counts from 1. Leaves the gradients unchanged.
  void run(std::span<Parameter* const> parameters, const Optimizer& optimizer,
           std::optional<float> clip_norm, float rate, std::int64_t update, int threads);

  /// Drops the graph, so another optimizer can be used.
  void reset() { program_.reset(); }

 private:
  void write(const Optimizer& optimizer, std::optional<float> clip_norm, int threads);

  std::vector<Parameter*> trained_;
  std::unique_ptr<graph::CpuProgram> program_;
  std::vector<std::vector<float>*> inputs_;   ///< of the graph; null for scalars
  std::vector<std::vector<float>*> outputs_;  ///< what they update
};

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
