#include "host/compiler/units/rounded_values.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "host/compiler/kernels/core_sums.h"

namespace systole::lowering {
namespace {

using graph::Graph;
using graph::Operation;

constexpr std::string_view kKeepOrder[] = {"reshape",   "slice",   "concatenate",      "pad",
                                           "transpose", "reverse", "broadcast_in_dim", "select",
                                           "maximum",   "minimum", "negate",           "abs"};

class RoundedFinder {
 public:
  RoundedFinder(const Graph& graph, std::span<const MatrixMatch> products)
      : graph_(graph), rounded_(graph.value_count()), origins_(graph.value_count()) {
    for (const MatrixMatch& product : products) note(product);
    find_origins();
  }

  std::vector<bool> run() {
    std::vector<bool> is_read(graph_.value_count());
    for (const Operation& operation : graph_.operations()) {
      for (const int operand : operation.operands) is_read[operand] = true;
    }
    for (int value = 0; value < static_cast<int>(graph_.value_count()); ++value) {
      const graph::Element element = graph_.type(value).element;
      rounded_[value] =
          is_read[value] && (element == graph::Element::kF32 || element == graph::Element::kPred);
    }
    for (const graph::Output& output : graph_.outputs()) rounded_[output.value] = false;
    for (const Operation& operation : graph_.operations()) {
      if (is_core_sum(operation)) rounded_[operation.results[0]] = false;  // cores add fp32
    }
    for (std::size_t i = graph_.operations().size(); i-- > 0;) {
      const Operation& operation = graph_.operations()[i];
      for (std::size_t k = 0; k < operation.operands.size(); ++k) {
        const int operand = operation.operands[k];
        if (!allows(operation, k) && !is_exact(operand)) rounded_[operand] = false;
      }
    }
    return std::move(rounded_);
  }

 private:
  void note(const MatrixMatch& match) {
    for (const int value : {match.a, match.b, match.mask}) {
      if (value >= 0) operands_.insert(value);
    }
    if (match.column_sums >= 0) sums_.insert(match.column_sums);
  }

  // The one value whose elements a chain of slices and maxima holds; -1 for any other.
  void find_origins() {
    for (int value = 0; value < static_cast<int>(graph_.value_count()); ++value) {
      origins_[value] = value;
    }
    for (const Operation& operation : graph_.operations()) {
      const std::string_view name = operation.kind->name;
      if (name != "reshape" && name != "slice" && name != "maximum") continue;
      const int first = origins_[operation.operands[0]];
      const bool is_one = std::ranges::all_of(
          operation.operands, [&](int operand) { return origins_[operand] == first; });
      if (is_one) origins_[operation.results[0]] = first;
    }
  }

  // A choice of small integers.
  bool is_exact(int value) const {
    constexpr double kMost = 256;
    if (const auto number = graph_.splat(value)) {
      return std::abs(*number) <= kMost && *number == std::trunc(*number);
    }
    const Operation* operation = graph_.maker(graph_.before_reshapes(value));
    return operation != nullptr && operation->kind->name == "select" &&
           is_exact(operation->operands[1]) && is_exact(operation->operands[2]);
  }

  bool allows(const Operation& operation, std::size_t k) const {
    const std::string_view name = operation.kind->name;
    const int result = operation.results[0];
    if (name == "dot_general" || name == "convolution") {
      return operands_.contains(graph_.before_reshapes(operation.operands[k]));
    }
    if (name == "reduce") return sums_.contains(result);
    if (name == "compare") return keeps_comparison(operation);
    if (name == "select" && k == 0) return true;
    return std::ranges::count(kKeepOrder, name) != 0 && rounded_[result];
  }

  // With zero, or of elements of one tensor.
  bool keeps_comparison(const Operation& operation) const {
    return graph_.splat(operation.operands[1]) == 0 ||
           origins_[operation.operands[0]] == origins_[operation.operands[1]];
  }

  const Graph& graph_;
  std::vector<bool> rounded_;
  std::vector<int> origins_;
  std::set<int> operands_, sums_;
};

}  // namespace

std::vector<bool> find_rounded(const Graph& graph, std::span<const MatrixMatch> products) {
  return RoundedFinder(graph, products).run();
}

std::vector<int> find_gradients(const Graph& graph, std::span<const MatrixMatch> products) {
  std::vector<bool> is_read(graph.value_count()), is_output(graph.value_count());
  std::vector<bool> leads_elsewhere(graph.value_count());  // to other outputs or products
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const int value = graph.outputs()[i].value;
    const bool is_update = std::ranges::any_of(graph.inputs(), [&](const graph::Input& input) {
      return input.updated_by == static_cast<int>(i);
    });
    leads_elsewhere[value] = leads_elsewhere[value] || !is_update;
    is_output[graph.before_reshapes(value)] = true;
  }
  for (std::size_t i = graph.operations().size(); i-- > 0;) {
    const Operation& operation = graph.operations()[i];
    const std::string_view name = operation.kind->name;
    // What is joined lies in a tensor of fp32, and cores add fp32.
    const bool leads =
        name == "dot_general" || name == "convolution" || name == "concatenate" ||
        name == "all_reduce" ||
        std::ranges::any_of(operation.results, [&](int result) { return leads_elsewhere[result]; });
    for (const int operand : operation.operands) {
      is_read[operand] = true;
      if (leads) leads_elsewhere[operand] = true;
    }
  }
  std::vector<int> gradients;
  for (const MatrixMatch& product : products) {
    const int value = product.result;
    const bool is_float = graph.type(value).element == graph::Element::kF32;
    if (is_float && is_read[value] && !leads_elsewhere[value] && !is_output[value]) {
      gradients.push_back(value);
    }
  }
  return gradients;
}

std::vector<int> find_images(const Graph& graph, std::span<const MatrixMatch> products) {
  std::vector<bool> is_output(graph.value_count()), is_rounded(graph.value_count());
  for (const graph::Output& output : graph.outputs()) {
    is_output[graph.before_reshapes(output.value)] = true;
  }
  const auto may_round = [&](int value) {
    return graph.type(value).element == graph::Element::kF32 && !is_output[value];
  };
  for (const MatrixMatch& product : products) {
    const bool is_image = product.images && !product.form.transpose_a;
    is_rounded[product.result] = is_image && may_round(product.result);
  }
  for (const Operation& operation : graph.operations()) {
    const int result = operation.results[0];
    if (std::ranges::count(kKeepOrder, operation.kind->name) == 0 || !may_round(result)) continue;
    const std::size_t first = operation.kind->name == "select" ? 1 : 0;
    bool is_exact = true, any = false;
    for (std::size_t i = first; i < operation.operands.size(); ++i) {
      const int operand = operation.operands[i];
      any = any || is_rounded[operand];
      is_exact = is_exact && (is_rounded[operand] || graph.splat(operand) == 0);
    }
    is_rounded[result] = is_rounded[result] || (any && is_exact);
  }
  std::vector<int> images;
  for (int value = 0; value < static_cast<int>(graph.value_count()); ++value) {
    if (is_rounded[value]) images.push_back(value);
  }
  return images;
}

}  // namespace systole::lowering
