#include "host/compiler/rewrites/fold_rows.h"

#include <numeric>
#include <optional>
#include <vector>

#include "host/compiler/kernels/element_operations.h"
#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/attribute.h"
#include "host/graph/ops.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

class Folder {
 public:
  Folder(const Graph& graph, std::int64_t lanes)
      : graph_(graph), lanes_(lanes), is_for_products_(graph.value_count()) {
    for (const Operation& operation : graph.operations()) {
      if (makes_product(operation)) {
        for (const int operand : operation.operands) {
          is_for_products_[graph.before_reshapes(operand)] = true;  // they add it up themselves
        }
      }
      if (operation.kind->name == "add") note_bias(operation);
    }
  }

  std::optional<Value> operator()(const Operation& operation, std::span<const Value> values) const {
    if (operation.kind->name == "broadcast_in_dim") {
      return repeated(operation, values[operation.operands[0]]);
    }
    return sums_columns(graph_, operation) ? added(operation, values) : std::nullopt;
  }

 private:
  // A product's bias is added by the array.
  void note_bias(const Operation& sum) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const Operation* product = graph_.maker(sum.operands[i]);
      if (product != nullptr && makes_product(*product)) {
        is_for_products_[sum.operands[1 - i]] = true;
      }
    }
  }

  /// How many rows of a tensor lie side by side; 1 where that does not help.
  std::int64_t folds(const Shape& shape) const {
    constexpr std::int64_t kLeastRows = 64, kLeastPerCent = 120;
    if (shape.size() < 2 || shape.back() < 1) return 1;
    const std::int64_t cols = shape.back(), rows = graph::element_count(shape) / cols;
    const std::int64_t count = lanes_ / std::gcd(cols, lanes_);
    const bool helps = ceil_div(cols, lanes_) * lanes_ * 100 >= kLeastPerCent * cols;
    return helps && rows % count == 0 && rows / count >= kLeastRows ? count : 1;
  }

  static Shape folded(const Shape& shape, std::int64_t count) {
    const std::int64_t cols = shape.back() * count;
    return {graph::element_count(shape) / cols, cols};
  }

  std::optional<Value> repeated(const Operation& broadcast, Value column) const {
    const Shape& shape = graph_.type(broadcast.results[0]).shape;
    const std::int64_t last = std::ssize(shape) - 1, count = folds(shape);
    if (count == 1 || is_for_products_[broadcast.results[0]] ||
        graph::attribute<Integers>(broadcast, "broadcast_dimensions") != Integers{last} ||
        column.shape() != Shape{shape.back()} || graph_.splat(broadcast.operands[0])) {
      return {};
    }
    const Value side_by_side = broadcast_in_dim(column, {count, shape.back()}, {1});
    const Shape wide = folded(shape, count);
    return reshape(broadcast_in_dim(reshape(side_by_side, {wide[1]}), wide, {1}), shape);
  }

  std::optional<Value> added(const Operation& reduce, std::span<const Value> values) const {
    const int x = reduce.operands[0];
    const Shape& shape = graph_.type(x).shape;
    const std::int64_t count = folds(shape);
    if (count == 1 || is_for_products_[graph_.before_reshapes(x)] || follows_slices(x)) {
      return {};
    }
    const Value sums = sum(reshape(values[x], folded(shape, count)), {0});
    return sum(reshape(sums, {count, shape.back()}), {0});
  }

  // The rows of slices are theirs.
  bool follows_slices(int value) const {
    const Operation* operation = graph_.maker(graph_.before_reshapes(value));
    return is(operation, "slice") || is(operation, "maximum") || is(operation, "transpose");
  }

  const Graph& graph_;
  std::int64_t lanes_;
  std::vector<bool> is_for_products_;  ///< by value
};

}  // namespace

std::unique_ptr<Graph> fold_rows(const Graph& graph, int lanes) {
  const Folder folder(graph, lanes);
  return rewrite(graph, std::ref(folder));
}

}  // namespace systole::lowering
