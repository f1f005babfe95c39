#include "host/graph/cores.h"

#include <deque>

#include "host/graph/attribute.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

/// One core's graph on its way through its operations.
class Evaluation {
 public:
  Evaluation(const Graph& graph, std::span<const Literal> inputs, Rounding rounding)
      : graph_(graph), rounding_(rounding), values_(graph.value_count()) {
    if (inputs.size() != graph.inputs().size()) {
      throw GraphError(fmt::format("got {} inputs, not {}", inputs.size(), graph.inputs().size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Type& type = graph.type(graph.inputs()[i].value);
      if (inputs[i].type != type) {
        throw GraphError(fmt::format("input {} is {}, not {}", graph.inputs()[i].name,
                                     to_string(inputs[i].type), to_string(type)));
      }
      values_[static_cast<std::size_t>(graph.inputs()[i].value)] = inputs[i];
    }
  }

  /// Goes on to the next operation that meets other cores; null at the end.
  const Operation* run() {
    for (; next_ < graph_.operations().size(); ++next_) {
      const Operation& operation = graph_.operations()[next_];
      if (cores_of(operation) > 1) return &operation;
      std::vector<Literal> operands;
      for (const int operand : operation.operands) operands.push_back(values_[operand]);
      std::vector<Literal> results = evaluate(graph_.call(operation), operands, rounding_);
      for (std::size_t i = 0; i < results.size(); ++i) {
        values_[operation.results[i]] = std::move(results[i]);
      }
    }
    return nullptr;
  }

  /// The value that this core brings to the meeting, and what it takes from there.
  const Literal& brings() const { return values_[graph_.operations()[next_].operands[0]]; }
  void take(const Literal& sum) { values_[graph_.operations()[next_++].results[0]] = sum; }

  std::vector<Literal> outputs() const {
    std::vector<Literal> outputs;
    for (const Output& output : graph_.outputs()) outputs.push_back(values_[output.value]);
    return outputs;
  }
  const Graph& graph() const { return graph_; }

 private:
  const Graph& graph_;
  Rounding rounding_;
  std::vector<Literal> values_;
  std::size_t next_ = 0;
};

// Core 0 first, each addition rounded.
Literal sum_over(const std::deque<Evaluation>& cores, Rounding rounding) {
  const Type& type = cores[0].brings().type;
  Literal sum{type, std::vector<double>(element_count(type.shape))};
  for (std::size_t core = 0; core < cores.size(); ++core) {
    for (std::size_t i = 0; i < sum.values.size(); ++i) {
      const double term = cores[core].brings().at(static_cast<std::int64_t>(i));
      double& value = sum.values[i];
      value = core == 0 ? term : value + term;
      if (rounding == Rounding::kToType) value = round_to(type.element, value);
    }
  }
  return sum;
}

void need_same(const std::deque<Evaluation>& cores, std::span<const Operation* const> sums) {
  const auto describe = [&](std::size_t core) {
    if (sums[core] == nullptr) return std::string("the end");
    return fmt::format("all_reduce({}) of {} cores", to_string(cores[core].brings().type),
                       cores_of(*sums[core]));
  };
  for (std::size_t core = 0; core < cores.size(); ++core) {
    if (describe(core) != describe(0)) {
      throw GraphError(fmt::format("core {} comes to {} where core 0 comes to {}", core,
                                   describe(core), describe(0)));
    }
  }
  if (sums[0] != nullptr && cores_of(*sums[0]) != std::ssize(cores)) {
    throw GraphError(cores[0].graph().call(*sums[0]).error(
        fmt::format("it adds values of {} cores, and here {} {}", cores_of(*sums[0]),
                    cores.size() == 1 ? "is" : "are",
                    cores.size() == 1 ? "one" : std::to_string(cores.size()))));
  }
}

}  // namespace

std::int64_t cores_of(const Operation& operation) {
  if (operation.kind->name != "all_reduce") return 1;
  return std::ssize(attribute<Integers>(operation, "replica_groups"));
}

Value all_reduce(Value x, std::int64_t cores) {
  return x.graph().add("all_reduce", {x}, {counting(cores), std::string("add")});
}

std::vector<std::vector<Literal>> evaluate_cores(std::span<const Graph* const> graphs,
                                                 std::span<const std::vector<Literal>> inputs,
                                                 Rounding rounding) {
  if (graphs.empty() || graphs.size() != inputs.size()) {
    throw GraphError(fmt::format("{} graphs have inputs of {}", graphs.size(), inputs.size()));
  }
  std::deque<Evaluation> cores;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    cores.emplace_back(*graphs[i], inputs[i], rounding);
  }
  while (true) {
    std::vector<const Operation*> sums;
    for (Evaluation& core : cores) sums.push_back(core.run());
    need_same(cores, sums);
    if (sums[0] == nullptr) break;
    const Literal sum = sum_over(cores, rounding);
    for (Evaluation& core : cores) core.take(sum);
  }
  std::vector<std::vector<Literal>> outputs;
  for (const Evaluation& core : cores) outputs.push_back(core.outputs());
  return outputs;
}

}  // namespace systole::graph
