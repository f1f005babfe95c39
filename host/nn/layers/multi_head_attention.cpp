#include "host/nn/layers/multi_head_attention.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "host/nn/layers/activation.h"
#include "host/nn/layers/initializer.h"

namespace systole::nn {
namespace {

// x W + b.
Value projected(Builder& builder, Value x, const std::string& name) {
  const std::int64_t units = x.dimension(-1);
  const Value w = dense_weight(builder, name + ".weight", units, units);
  return matmul(x, w) + builder.weight(name + ".bias", {units}, constantly(0));
}

// [steps, steps]: whether place t sees place s.
Value seen(graph::Graph& graph, std::int64_t steps) {
  const graph::Type places{graph::Element::kS32, {steps, steps}};
  return compare(iota(graph, places, 0), "GE", iota(graph, places, 1));
}

}  // namespace

std::string MultiHeadAttention::description() const {
  return fmt::format("{}({} heads{})", kind(), heads, causal ? ", causal" : "");
}

Value MultiHeadAttention::operator()(Builder& builder, Value x) const {
  if (x.type().rank() != 3) {
    throw std::invalid_argument(fmt::format(
        "MultiHeadAttention: a sample is {}, not [steps, units]", to_string(sample_shape(x))));
  }
  const std::int64_t rows = x.dimension(0), steps = x.dimension(1), units = x.dimension(2);
  if (heads < 1 || units % heads != 0) {
    throw std::invalid_argument(
        fmt::format("MultiHeadAttention: {} heads do not divide {} units", heads, units));
  }
  const auto cut = [&](const char* name) {
    return reshape(projected(builder, x, name), {rows, steps, heads, units / heads});
  };
  const Value query = cut("query"), key = cut("key"), value = cut("value");
  constexpr double kNever = -1e9;
  const double scale = 1 / std::sqrt(static_cast<double>(units / heads));
  // [rows, heads, steps, steps]
  Value scores = scale * dot_general(query, key,
                                     {.lhs_batching = {0, 2},
                                      .rhs_batching = {0, 2},
                                      .lhs_contracting = {3},
                                      .rhs_contracting = {3}});
  if (causal) {
    scores = select(broadcast_to(seen(x.graph(), steps), scores.shape()), scores,
                    constant_like(scores, kNever));
  }
  const Value context = dot_general(softmax(scores, 3), value,
                                    {.lhs_batching = {0, 1},
                                     .rhs_batching = {0, 2},
                                     .lhs_contracting = {3},
                                     .rhs_contracting = {1}});
  return projected(builder, reshape(transpose(context, {0, 2, 1, 3}), x.shape()), "output");
}

}  // namespace systole::nn
