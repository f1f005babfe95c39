#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/graph/ops.h"
#include "host/nn/layers/parameter.h"
#include "host/nn/layers/step_scalars.h"
#include "host/nn/numbers/generator.h"

namespace systole::nn {

using graph::Value;

/// Fills in a parameter's initial values from its layer's generator. See initializer.h.
using Initial = std::function<void(std::span<float>, Generator&)>;

/// Every value starts as this number.
Initial constantly(float value);

/// A parameter in a graph.
struct Variable {
  Parameter* parameter = nullptr;
  Value value;         ///< an input of the graph
  Value updated = {};  ///< its next value if the layer updates it
};

/// Builds a graph from layers and creates their parameters. A model is built once per batch size;
/// each parameter is created the first time and found by name afterwards.
///
/// Errors   graph::GraphError with the layer's name
class Builder {
 public:
  Builder(graph::Graph& graph, std::deque<Parameter>& parameters, bool training)
      : graph_(graph), parameters_(parameters), training_(training) {}

  graph::Graph& graph() { return graph_; }
  bool training() const { return training_; }

  /// A parameter that the optimizer trains.
  Value weight(std::string_view name, const Shape& shape, const Initial& initial);
  /// A parameter that its layer updates in training.
  Value state(std::string_view name, const Shape& shape, float start);
  void update(Value state, Value updated);

  /// Scalars of the step: see StepScalars.
  Value update_number() { return scalar(StepScalars::kUpdate); }
  Value first_row() { return scalar(StepScalars::kFirstRow); }

  /// A seed for a layer's random numbers: different for each call, the same in every graph.
  std::uint64_t seed();

  /// New parameters start from this stream of the seed.
  void start_from(std::uint64_t seed, std::uint64_t stream);

  /// Prefixes the names of parameters and operations added while it lives. The prefix ends in its
  /// separator: "1.dense.", or "encoder/" around "gru/".
  class Scope {
   public:
    Scope(Builder& builder, std::string_view prefix);
    ~Scope() { builder_.path_.resize(length_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Builder& builder_;
    std::size_t length_;
    graph::Graph::Scope graph_scope_;
  };

  const std::vector<Variable>& variables() const { return variables_; }

 private:
  Value variable(std::string_view name, const Shape& shape, const Initial& initial, bool trained);
  Value scalar(std::string_view name);

  graph::Graph& graph_;
  std::deque<Parameter>& parameters_;
  bool training_;
  std::string path_;
  Generator generator_{0}, seeds_{0};
  std::vector<Variable> variables_;
};

/// The name of a parameter's input: "_1.dense.weight".
std::string input_name(std::string_view parameter);

}  // namespace systole::nn
