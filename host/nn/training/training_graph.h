#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/nn/layers/builder.h"
#include "host/nn/optimizers/optimizer.h"
#include "host/nn/training/core_rows.h"

namespace systole::nn {

/// A step of a model as one graph, and what of it stays on a device from step to step.
///
/// Shapes   inputs: the batch's, such as x and labels; the parameters and their slots as Updates
///          names them, all of which the graph of a training step updates if they are trained; the
///          scalars of StepScalars. Outputs: loss and accuracy, scalars, then the updates
struct TrainingGraph {
  struct State {
    std::string input;
    Parameter* parameter = nullptr;
    static constexpr int kValue = -1, kGradient = -2;
    int slot = kValue;       ///< of the optimizer
    bool is_updated = true;  ///< by the graph
    std::vector<float>& values() const {
      if (slot == kGradient) return parameter->gradient;
      return slot == kValue ? parameter->value : parameter->slots[static_cast<std::size_t>(slot)];
    }
  };
  std::unique_ptr<graph::Graph> graph;
  std::vector<State> states;
  /// Of a core without rows, the step of one with a row, which shares the same updates.
  std::unique_ptr<graph::Graph> with_rows = {};
};

/// The inputs that stay on the device.
std::set<std::string> states_of(const TrainingGraph& step);

/// Those that are an optimizer's memory.
std::set<std::string> slots_of(const TrainingGraph& step);

/// Completes a builder's graph, which has the forward pass, with gradients, clipping and update. Of
/// several cores, it is the step of one: loss, accuracy, gradients and what layers update become
/// those of the whole batch before the update, which has the same bits on all.
TrainingGraph finish_step(std::unique_ptr<graph::Graph> graph, Builder& builder, Value loss,
                          Value accuracy, const Optimizer& optimizer,
                          std::optional<float> clip_norm, const CoreRows& core = {});

/// Tensors that a graph returns, by name.
using Returned = std::vector<std::pair<std::string, Value>>;

/// Likewise without the update: the gradients are states, which each step replaces. The `traced`
/// values are outputs, and so are their gradients, as "dNAME".
TrainingGraph finish_gradients(std::unique_ptr<graph::Graph> graph, Builder& builder, Value loss,
                               Value accuracy, const Returned& traced = {});

/// The loss and accuracy of a builder's forward pass alone.
TrainingGraph finish_evaluation(std::unique_ptr<graph::Graph> graph, Builder& builder, Value loss,
                                Value accuracy);

/// A builder's forward pass that returns these tensors.
TrainingGraph finish_prediction(std::unique_ptr<graph::Graph> graph, Builder& builder,
                                const Returned& outputs);

}  // namespace systole::nn
