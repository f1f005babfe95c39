#include "host/cpu/kernel.h"

#include "host/graph/cores.h"
#include "host/graph/reference.h"

namespace systole::graph {

Literal to_literal(const Type& type, const void* words) {
  Literal literal{type, std::vector<double>(element_count(type.shape))};
  const auto copy = [&](const auto* from) {
    for (std::size_t i = 0; i < literal.values.size(); ++i) {
      literal.values[i] = static_cast<double>(from[i]);
    }
  };
  if (is_float(type.element)) {
    copy(static_cast<const float*>(words));
  } else if (type.element == Element::kS32 || type.element == Element::kS8) {
    copy(static_cast<const std::int32_t*>(words));
  } else {
    copy(static_cast<const std::uint32_t*>(words));
  }
  return literal;
}

void from_literal(const Literal& literal, void* words) {
  const std::int64_t count = element_count(literal.type.shape);
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = literal.at(i);
    if (is_float(literal.type.element)) {
      static_cast<float*>(words)[i] = static_cast<float>(value);
    } else {
      static_cast<std::uint32_t*>(words)[i] =
          static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    }
  }
}

namespace {

void run_oracle(const Graph& graph, const Operation& operation, Pointers pointers) {
  std::vector<Literal> operands;
  for (const int operand : operation.operands) {
    operands.push_back(to_literal(graph.type(operand), pointer<void>(pointers, operand)));
  }
  const auto results = evaluate(graph.call(operation), operands);
  for (std::size_t i = 0; i < results.size(); ++i) {
    from_literal(results[i], pointer<void>(pointers, operation.results[i]));
  }
}

}  // namespace

Kernel make_kernel(const Graph& graph, const Operation& operation) {
  graph.call(operation).need(cores_of(operation) == 1,
                             "it adds values of {} cores, and this program has no others to meet",
                             cores_of(operation));
  Kernel kernel;
  for (const auto make :
       {dot_kernel, convolution_kernel, window_kernel, copy_kernel, row_kernel, random_kernel}) {
    kernel = make(graph, operation);
    if (kernel.run) break;
  }
  if (!kernel.run) {
    kernel.run = [&graph, &operation](Pointers pointers, int) {
      run_oracle(graph, operation, pointers);
    };
  }
  kernel.reads = operation.operands;
  kernel.writes = operation.results;
  return kernel;
}

}  // namespace systole::graph
