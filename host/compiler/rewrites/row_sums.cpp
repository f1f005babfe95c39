#include "host/compiler/rewrites/row_sums.h"

#include <cmath>
#include <map>
#include <optional>

#include "host/compiler/kernels/element_operations.h"
#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/attribute.h"
#include "host/graph/ops.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

/// The first images are at least one in so many: the sum of squares then has at most so many times
/// the magnitude of the squares' distances from the mean.
constexpr std::int64_t kSampled = 128;

class Merger {
 public:
  explicit Merger(const Graph& graph) : graph_(graph) {
    for (const Operation& operation : graph.operations()) {
      if (!adds_up_rows(operation)) continue;
      sums_.emplace(operation.operands[0], &operation);
      if (const auto square = distances(operation)) squares_.emplace(&operation, *square);
    }
    for (const auto& [sum, square] : squares_) shifted_.emplace(square.total, Shifted{});
  }

  std::optional<Value> operator()(const Operation& operation, std::span<const Value> values) {
    if (!adds_up_rows(operation)) return {};
    values_ = values;
    const int x = operation.operands[0];
    if (const auto square = squares_.find(&operation); square != squares_.end()) {
      const Shifted& shifted = shifted_.at(square->second.total);
      const Value squares = sum_rows(shifted.distances * shifted.distances);
      // Rounding may leave less than nothing.
      return maximum(squares - shifted.sum * shifted.sum * (1.0 / rows(x)),
                     constant_like(shifted.sum, 0));
    }
    if (const auto shifted = shifted_.find(&operation); shifted != shifted_.end()) {
      return shifted_total(x, shifted->second);
    }
    const auto known = known_sum(x, &operation);
    if (!known) return {};
    return *known ? *known : constant_of(operation);
  }

 private:
  /// A sum of squared distances of x from its mean.
  struct Square {
    int x = -1;
    const Operation* total = nullptr;  ///< that adds x up
  };
  /// Distances from the mean of the first images.
  struct Shifted {
    Value distances, sum;
  };

  bool adds_up_rows(const Operation& operation) const {
    return sums_columns(graph_, operation) &&
           graph::is_float(graph_.type(operation.operands[0]).element);
  }

  double rows(int x) const {
    const Shape& shape = graph_.type(x).shape;
    return static_cast<double>(graph::element_count(shape) / shape.back());
  }

  /// What is repeated in all rows of `like`; -1 for a tensor of its own.
  int repeated(int value, int like) const {
    const Operation* operation = graph_.maker(value);
    if (!is(operation, "broadcast_in_dim")) return -1;
    const auto last = static_cast<std::int64_t>(graph_.type(like).rank()) - 1;
    const bool is_column =
        graph::attribute<Integers>(*operation, "broadcast_dimensions") == Integers{last} &&
        graph_.type(operation->operands[0]).shape == Shape{graph_.type(like).shape.back()};
    return is_column ? operation->operands[0] : -1;
  }

  /// The sum of x whose mean a value is.
  const Operation* total_of_mean(int mean, int x) const {
    const Operation* product = graph_.maker(mean);
    if (!is(product, "multiply")) return nullptr;
    const Operation* total = graph_.maker(product->operands[0]);
    const auto factor = graph_.splat(product->operands[1]);
    if (!factor || total == nullptr || !adds_up_rows(*total) || total->operands[0] != x) {
      return nullptr;
    }
    constexpr double kTolerance = 1e-6;
    return std::abs(*factor * rows(x) - 1) < kTolerance ? total : nullptr;
  }

  /// The sum of x, where `value` is its distance from its mean.
  const Operation* total_of_distance(int value) const {
    const Operation* difference = graph_.maker(value);
    if (!is(difference, "subtract")) return nullptr;
    const int x = difference->operands[0], mean = repeated(difference->operands[1], x);
    return mean < 0 ? nullptr : total_of_mean(mean, x);
  }

  std::optional<Square> distances(const Operation& sum) const {
    const Operation* square = graph_.maker(sum.operands[0]);
    if (!is(square, "multiply") || square->operands[0] != square->operands[1]) return {};
    const Operation* total = total_of_distance(square->operands[0]);
    if (total == nullptr) return {};
    return Square{.x = total->operands[0], .total = total};
  }

  static Value sum_rows(Value x) {
    return graph::sum(x, graph::counting(static_cast<std::int64_t>(x.type().rank()) - 1));
  }

  Value shifted_total(int x, Shifted& shifted) const {
    const std::int64_t images = ceil_div(graph_.type(x).shape[0], kSampled);
    const Value sample = first(x, images), whole = values_[x];
    const double count =
        static_cast<double>(graph::element_count(sample.shape()) / sample.shape().back());
    const Value center = sum_rows(sample) * (1.0 / count);
    shifted.distances = whole - broadcast_to(center, whole.shape());
    shifted.sum = sum_rows(shifted.distances);
    return shifted.sum + center * rows(x);
  }

  // The first images, of what is in memory when the pass begins.
  Value first(int x, std::int64_t images) const {
    const Operation* operation = graph_.maker(x);
    const Shape& shape = graph_.type(x).shape;
    if (is(operation, "slice")) {
      const graph::Call call = graph_.call(*operation);
      Integers end = call.integers("limit_indices");
      if (call.integers("start_indices")[0] == 0 && call.integers("strides")[0] == 1) {
        end[0] = images;
        return graph::slice(values_[operation->operands[0]], call.integers("start_indices"), end,
                            call.integers("strides"));
      }
    }
    if (is(operation, "maximum")) {
      return maximum(first(operation->operands[0], images), first(operation->operands[1], images));
    }
    Shape end = shape;
    end[0] = images;
    return graph::slice(values_[x], Integers(shape.size(), 0), end);
  }

  /// A sum that follows from others; a value without a graph is zero, and nothing one that does
  /// not.
  std::optional<Value> known_sum(int value, const Operation* asks) const {
    if (const auto sum = sums_.find(value); sum != sums_.end() && sum->second != asks) {
      const Value known = values_[sum->second->results[0]];
      if (known) return known;
    }
    if (total_of_distance(value) != nullptr) return Value();
    const Operation* operation = graph_.maker(value);
    if (operation == nullptr) return {};
    if (const int column = repeated(value, value); column >= 0) {
      return values_[column] * rows(value);
    }
    const std::string_view name = operation->kind->name;
    if (name == "negate") {
      const auto sum = known_sum(operation->operands[0], asks);
      return sum && *sum ? std::optional(-*sum) : sum;
    }
    if (name == "multiply") return known_multiple(*operation, asks);
    if (name != "add" && name != "subtract") return {};
    const auto a = known_sum(operation->operands[0], asks);
    const auto b = a ? known_sum(operation->operands[1], asks) : std::nullopt;
    if (!a || !b) return {};
    if (!*b) return a;
    if (name == "add") return *a ? *a + *b : *b;
    return *a ? *a - *b : -*b;
  }

  std::optional<Value> known_multiple(const Operation& product, const Operation* asks) const {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const int factor = product.operands[1 - i], column = repeated(factor, product.operands[i]);
      const auto number = graph_.splat(factor);
      if (column < 0 && !number) continue;
      const auto sum = known_sum(product.operands[i], asks);
      if (!sum || !*sum) return sum;
      return number ? *sum * *number : *sum * values_[column];
    }
    return {};
  }

  Value constant_of(const Operation& operation) const {
    return broadcast_to(values_[operation.operands[1]], graph_.type(operation.results[0]).shape);
  }

  const Graph& graph_;
  std::map<int, const Operation*> sums_;         ///< by what they add up
  std::map<const Operation*, Square> squares_;   ///< by the sum
  std::map<const Operation*, Shifted> shifted_;  ///< by the sum of x
  std::span<const Value> values_;
};

}  // namespace

std::unique_ptr<Graph> merge_row_sums(const Graph& graph) {
  Merger merger(graph);
  return rewrite(graph, std::ref(merger));
}

}  // namespace systole::lowering
