#include "host/compiler/program/table.h"

#include <algorithm>
#include <bit>

#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

using graph::Graph;
using graph::Value;

// A value and what it follows from, in another graph.
Value copy(const Graph& from, int value, Graph& to, std::map<int, Value>& copied) {
  if (const auto known = copied.find(value); known != copied.end()) return known->second;
  Value made;
  if (const graph::Operation* operation = from.maker(value); operation != nullptr) {
    std::vector<Value> operands;
    for (const int operand : operation->operands)
      operands.push_back(copy(from, operand, to, copied));
    const std::vector<Value> results = to.add(*operation, operands);
    made = results[std::ranges::find(operation->results, value) - operation->results.begin()];
  } else {
    for (const graph::Input& input : from.inputs()) {
      if (input.value == value) made = to.input(input.name, from.type(value));
    }
  }
  copied.emplace(value, made);
  return made;
}

}  // namespace

Table::Table(const Graph& graph, const std::vector<int>& values)
    : graph_(std::make_unique<Graph>()) {
  if (values.empty()) return;
  std::map<int, Value> copied;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Value value = copy(graph, values[i], *graph_, copied);
    if (value.type().element == graph::Element::kPred) {
      const graph::Type words{graph::Element::kU32, value.shape()};
      value = select(value, constant(*graph_, words, 0xffff'ffff), constant(*graph_, words, 0));
    }
    graph_->output(fmt::format("v{}", i), value);
  }
  program_ = std::make_unique<graph::CpuProgram>(*graph_, 1);
}

std::vector<Table::Words> Table::fill(const std::map<std::string, double>& inputs) const {
  std::vector<Words> filled;
  if (!program_) return filled;
  Words values;
  for (const graph::Input& input : graph_->inputs()) {
    const auto found = inputs.find(input.name);
    if (found == inputs.end()) {
      throw graph::GraphError(fmt::format("the step needs a value for {}", input.name));
    }
    const bool is_float = graph::is_float(graph_->type(input.value).element);
    values.push_back(is_float ? std::bit_cast<std::uint32_t>(static_cast<float>(found->second))
                              : static_cast<std::uint32_t>(found->second));
  }
  std::vector<const void*> from;
  for (const std::uint32_t& value : values) from.push_back(&value);
  std::vector<void*> to;
  for (const graph::Output& output : graph_->outputs()) {
    filled.emplace_back(graph::element_count(graph_->type(output.value).shape));
    to.push_back(filled.back().data());
  }
  program_->run(from, to);
  return filled;
}

}  // namespace systole::lowering
