#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/nn/layers/builder.h"
#include "host/nn/optimizers/optimizer.h"

namespace systole::nn {

/// A training step as one graph: forward pass, loss, accuracy, gradients, clipping and update.
///
/// Shapes   inputs: x, labels, the parameters and their slots as Updates names them, all of which
///          the graph updates if they are trained; the f32 scalars learning_rate and update (its
///          number, from 1); the ui32 scalars step and first_row where a layer draws random
///          numbers. Outputs: loss and accuracy, scalars, then the updates
struct TrainingGraph {
  struct State {
    std::string input;
    Parameter* parameter = nullptr;
    static constexpr int kValue = -1, kGradient = -2;
    int slot = kValue;  ///< of the optimizer
    std::vector<float>& values() const {
      if (slot == kGradient) return parameter->gradient;
      return slot == kValue ? parameter->value : parameter->slots[static_cast<std::size_t>(slot)];
    }
  };
  std::unique_ptr<graph::Graph> graph;
  std::vector<State> states;  ///< what stays on a device from step to step
};

/// The inputs that stay on the device.
std::set<std::string> states_of(const TrainingGraph& step);

/// Completes a builder's graph, which has the forward pass.
TrainingGraph finish_step(std::unique_ptr<graph::Graph> graph, Builder& builder, Value loss,
                          Value accuracy, const Optimizer& optimizer,
                          std::optional<float> clip_norm);

/// Likewise without the update: the gradients are states, which each step replaces.
///
/// Shapes   inputs: those of a whole step without the learning rate and the slots, and d_NAME for
///          the gradient of each trained parameter NAME
TrainingGraph finish_gradients(std::unique_ptr<graph::Graph> graph, Builder& builder, Value loss,
                               Value accuracy);

}  // namespace systole::nn
