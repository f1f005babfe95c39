#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/graph/graph.h"

namespace systole::tests {

/// A small graph around one operation, for testing all code that reads graphs.
struct OperationCase {
  std::string name;  ///< "reduce_window of sums"; begins with the operation's name
  std::vector<graph::Type> inputs;
  std::function<graph::Value(const std::vector<graph::Value>&)> build;
  double low = -2, high = 2;  ///< of random inputs; integers are drawn from here, too
};

/// At least one for every operation, with ragged sizes.
const std::vector<OperationCase>& operation_cases();

/// The graph with inputs x0, x1, ... and one output, y.
std::unique_ptr<graph::Graph> build(const OperationCase& item);

/// Values of a type, uniform in low..high, rounded to the type; no two floats are close.
graph::Literal random_literal(const graph::Type& type, double low, double high, std::uint64_t seed);
std::vector<graph::Literal> random_inputs(const OperationCase& item, std::uint64_t seed);

}  // namespace systole::tests
