#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "host/nn/layers/parameter.h"
#include "host/nn/optimizers/optimizer.h"
#include "host/nn/training/program.h"

namespace systole::nn {

/// From gradients to the next values, for all trained parameters: clipping, then the optimizer, as
/// one graph on this processor.
///
/// Numbers  fp32; the norm of all gradients together is the root of their squares' sum
class Updates {
 public:
  /// rate: the learning rate of this update; step counts from 1. Gradients stay as they are.
  void run(std::span<Parameter* const> parameters, const Optimizer& optimizer,
           std::optional<float> clip_norm, float rate, std::int64_t step, int threads);

  /// Forgets the graph: for another optimizer.
  void reset() { program_.reset(); }

 private:
  void write(const Optimizer& optimizer, std::optional<float> clip_norm, int threads);

  std::vector<Parameter*> trained_;
  std::unique_ptr<Program> program_;
};

/// Scales gradients together so that their norm is at most `limit` > 0.
///
/// Source   Pascanu, Mikolov and Bengio, ICML 2013, section 3.2
std::vector<Value> clip_norm(std::span<const Value> gradients, double limit);

}  // namespace systole::nn
