#pragma once

#include <string>
#include <vector>

#include "host/graph/cpu/program.h"
#include "host/graph/layers/training.h"
#include "host/nn/training/sequential.h"

namespace systole::tests {

/// A named model of host/nn, written over the graph: the same layers in the same order.
std::vector<graph::Layer> graph_layers(const std::string& model, double dropout);

/// Training steps of a model as one graph each, on the cpu.
class StepRunner {
 public:
  StepRunner(const std::vector<graph::Layer>& layers, const graph::Shape& images,
             const graph::StepOptions& options, int threads);

  /// Takes the values of the model's parameters, in order.
  void copy_from(const nn::Sequential& model);

  /// Returns the loss.
  float run(std::span<const float> images, std::span<const std::int32_t> labels,
            float learning_rate);

  const graph::Graph& step_graph() const { return graph_; }
  const graph::CpuProgram& program() const { return *program_; }
  /// The values of a variable.
  std::span<const float> values(const std::string& name) const;

 private:
  graph::Graph graph_;
  std::vector<graph::Variable> variables_;
  std::vector<std::vector<float>> values_;
  std::optional<graph::CpuProgram> program_;
  float steps_ = 0;
};

}  // namespace systole::tests
