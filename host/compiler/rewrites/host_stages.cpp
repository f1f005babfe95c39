#include "host/compiler/rewrites/host_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "host/compiler/kernels/core_sums.h"

namespace systole::lowering {
namespace {

using graph::Graph;
using graph::Operation;
using graph::Value;

constexpr std::string_view kBetween = "between$";

bool moves(const Operation& operation) {
  return operation.kind->name == "broadcast_in_dim" || operation.kind->name == "reshape";
}

class StageCutter {
 public:
  StageCutter(const Graph& graph, const std::function<bool(const Operation&)>& is_of_host)
      : graph_(graph), sides_(graph.value_count()) {
    for (const Operation& operation : graph.operations()) {
      Side side{.stage = 0, .on_host = is_of_host(operation)};
      for (const int operand : operation.operands) {
        side.stage = std::max(side.stage, first_after(operand, side.on_host));
      }
      if (moves(operation)) side = sides_[operation.operands[0]];
      for (const int result : operation.results) sides_[result] = side;
      last_ = std::max(last_, side.stage);
    }
    for (const graph::Input& input : graph.inputs()) {
      if (input.updated_by >= 0) last_ = std::max(last_, first_after(next_value(input), false));
    }
  }

  std::vector<Stage> run() {
    for (int stage = 0; stage <= last_; ++stage) {
      parts_.emplace_back(graph_, Side{.stage = stage, .on_host = false});
      parts_.emplace_back(graph_, Side{.stage = stage, .on_host = true});
    }
    std::vector<std::vector<int>> sums(static_cast<std::size_t>(last_) + 1);
    int sum = 0;
    for (const Operation& operation : graph_.operations()) {
      const Side side = sides_[operation.results[0]];
      copy(part_of(side), operation);
      if (is_core_sum(operation)) sums[static_cast<std::size_t>(side.stage)].push_back(sum++);
    }
    for (const graph::Output& output : graph_.outputs()) add_output(output);
    for (const int value : between_) {
      Part& part = part_of(sides_[value]);
      part.graph->output(name_between(value), part.values[value]);
    }
    std::vector<Stage> stages;
    for (std::size_t i = 0; i < parts_.size(); i += 2) {
      stages.push_back({.device = parts_[i].take(),
                        .host = parts_[i + 1].take(),
                        .sums = std::move(sums[i / 2])});
    }
    return stages;
  }

 private:
  struct Side {
    int stage = 0;
    bool on_host = false;
    bool operator==(const Side&) const = default;
  };
  struct Part {
    Part(const Graph& from, Side its_side) : side(its_side), values(from.value_count()) {}
    std::unique_ptr<Graph> take() { return graph->outputs().empty() ? nullptr : std::move(graph); }

    Side side;
    std::unique_ptr<Graph> graph = std::make_unique<Graph>();
    std::vector<Value> values;
  };

  static std::string name_between(int value) { return fmt::format("{}{}", kBetween, value); }

  Part& part_of(Side side) {
    return parts_[static_cast<std::size_t>(2 * side.stage + (side.on_host ? 1 : 0))];
  }
  int next_value(const graph::Input& input) const {
    return graph_.outputs()[static_cast<std::size_t>(input.updated_by)].value;
  }

  // The first stage in which a side can read the value.
  int first_after(int value, bool on_host) const {
    return sides_[value].stage + (sides_[value].on_host && !on_host ? 1 : 0);
  }

  void copy(Part& part, const Operation& operation) {
    std::vector<Value> operands;
    for (const int operand : operation.operands) operands.push_back(read(part, operand));
    const Graph::Scope layer(*part.graph, operation.scope);
    const std::vector<Value> results = part.graph->add(operation, operands);
    for (std::size_t i = 0; i < results.size(); ++i) part.values[operation.results[i]] = results[i];
  }

  // A value of the graph in one of its parts.
  Value read(Part& part, int value) {
    if (part.values[value]) return part.values[value];
    const Operation* operation = graph_.maker(value);
    if (operation == nullptr) {
      const auto input = std::ranges::find(graph_.inputs(), value, &graph::Input::value);
      return part.values[value] = part.graph->input(input->name, graph_.type(value));
    }
    if (operation->operands.empty() || moves(*operation)) {
      copy(part, *operation);
      return part.values[value];
    }
    between_.insert(value);
    return part.values[value] = part.graph->input(name_between(value), graph_.type(value));
  }

  void add_output(const graph::Output& output) {
    const auto number = static_cast<int>(&output - graph_.outputs().data());
    const auto input = std::ranges::find(graph_.inputs(), number, &graph::Input::updated_by);
    if (input == graph_.inputs().end()) {
      Part& part = part_of(sides_[output.value]);
      return part.graph->output(output.name, read(part, output.value));
    }
    Part& part = part_of({.stage = first_after(output.value, false), .on_host = false});
    const Value old = read(part, input->value);
    part.graph->update(old, output.name, read(part, output.value));
  }

  const Graph& graph_;
  std::vector<Side> sides_;  ///< by value
  int last_ = 0;             ///< stage
  std::vector<Part> parts_;  ///< of each stage the device's, then the host's
  std::set<int> between_;    ///< values that parts give each other
};

}  // namespace

bool is_between(std::string_view output) { return output.starts_with(kBetween); }

std::vector<Stage> cut_stages(const Graph& graph,
                              const std::function<bool(const Operation& operation)>& is_of_host) {
  return StageCutter(graph, is_of_host).run();
}

}  // namespace systole::lowering
