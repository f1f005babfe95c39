#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "host/graph/graph.h"

namespace systole::graph {

/// What a variable holds before the first step.
struct Initial {
  enum class Kind : std::uint8_t { kConstant, kUniform, kNormal };
  Kind kind = Kind::kConstant;
  double scale = 0;  ///< the constant; the limit; the standard deviation
};

/// Something that stays from step to step: a weight, a moving mean, a generator's state.
struct Variable {
  std::string name;  ///< "dense_1.weight"
  Value value;       ///< an input of the graph
  Initial initial;
  bool trained = false;  ///< by the optimizer
  Value updated = {};    ///< its next value; none where it stays
};

/// A model as it is written down: layers ask it for their variables, and say what these become.
///
/// Errors   GraphError with the layer's name
class Model {
 public:
  explicit Model(Graph& graph, bool training) : graph_(graph), training_(training) {}

  Graph& graph() { return graph_; }
  bool training() const { return training_; }

  /// A weight, under the name of the layer that is being written.
  Value weight(std::string_view name, const Shape& shape, const Initial& initial);
  /// One that the layer itself updates.
  Value state(std::string_view name, const Type& type, const Initial& initial);
  void update(Value variable, Value updated);

  /// Names a layer for its variables and errors while `work` writes it: "dense", "dense_1".
  Value layer(std::string_view kind, const std::function<Value()>& work);

  std::vector<Variable>& variables() { return variables_; }

 private:
  Value variable(std::string_view name, const Type& type, const Initial& initial, bool trained);

  Graph& graph_;
  bool training_;
  std::string path_;
  std::map<std::string, int> counts_;
  std::vector<Variable> variables_;
};

/// Anything that writes what it does to x: Dense{.units = 10}, or a function of a user's own.
using Layer = std::function<Value(Model& model, Value x)>;

/// One layer after the other.
Value apply(Model& model, const std::vector<Layer>& layers, Value x);

}  // namespace systole::graph
