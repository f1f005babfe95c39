#include "host/lowering/table.h"

#include <bit>

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
    made = to.add(*operation, operands)[0];
  } else {
    for (const graph::Input& input : from.inputs()) {
      if (input.value == value) made = to.input(input.name, from.type(value));
    }
  }
  copied.emplace(value, made);
  return made;
}

}  // namespace

Table::Table(const Graph& graph, const std::vector<int>& scalars)
    : graph_(std::make_unique<Graph>()), count_(scalars.size()) {
  if (scalars.empty()) return;
  std::map<int, Value> copied;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    graph_->output(fmt::format("s{}", i), copy(graph, scalars[i], *graph_, copied));
  }
  program_ = std::make_unique<graph::CpuProgram>(*graph_, 1);
}

std::vector<std::uint32_t> Table::words(const std::map<std::string, double>& inputs) {
  std::vector<std::uint32_t> words(count_);
  if (!program_) return words;
  std::vector<std::uint32_t> values;
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
  for (std::uint32_t& word : words) to.push_back(&word);
  program_->run(from, to);
  return words;
}

}  // namespace systole::lowering
