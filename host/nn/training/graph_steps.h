#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/nn/training/step_runner.h"

namespace systole::nn {

/// A runner that takes a graph as it is. It knows inputs and outputs by their places in the graph:
/// an input is state or lies in a feed, an output updates a state or is a result.
///
/// Limits   what is fed is f32 or i32
class GraphSteps : public StepRunner {
 public:
  Feed prepare(std::span<const Input> inputs, const StepScalars& scalars) const override;
  void set_rate(Feed& feed, const StepScalars& scalars) const override;
  std::int64_t fed_bytes() const override { return 0; }

 protected:
  explicit GraphSteps(const TrainingGraph& graph);

  const graph::Graph& graph() const { return graph_; }
  std::size_t inputs() const { return offsets_.size(); }
  std::size_t outputs() const { return updated_.size(); }

  bool is_state(std::size_t input) const { return offsets_[input] < 0; }
  /// Bytes into a feed, of an input that is no state.
  std::int64_t offset(std::size_t input) const { return offsets_[input]; }
  /// The state that an output updates; -1 for a result.
  int updated(std::size_t output) const { return updated_[output]; }
  std::int64_t input_elements(std::size_t input) const;
  std::int64_t output_elements(std::size_t output) const;

  /// The state of this name and size.
  std::size_t place_of_state(const std::string& name, std::size_t elements) const;
  /// The output of this name and size.
  std::size_t place_of_output(const std::string& name, std::size_t elements) const;

 private:
  std::size_t find(const std::string& name) const;
  void put(Feed& feed, const Input& input) const;

  const graph::Graph& graph_;
  std::vector<std::int64_t> offsets_;  ///< by input, in a feed; -1 for state
  std::vector<int> updated_;           ///< by output: the input that it updates, or -1
  std::int64_t fed_bytes_ = 0;
};

}  // namespace systole::nn
