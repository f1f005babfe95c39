#include "host/nn/training/core_rows.h"

#include "host/graph/cores.h"

namespace systole::nn {
namespace {

/// Elements of a tensor that shares a buffer with others: a sum of so many takes little longer than
/// what each sum costs by itself.
constexpr std::int64_t kMostShared = 1024;

std::int64_t size_of(Value value) { return graph::element_count(value.shape()); }

/// All elements of these, one after the other.
Value side_by_side(const std::vector<Value>& values) {
  std::vector<Value> flat;
  for (const Value value : values) flat.push_back(reshape(value, {size_of(value)}));
  return flat.size() == 1 ? flat.front() : concatenate(flat, 0);
}

}  // namespace

std::vector<Value> means_over_cores(const CoreRows& core, std::span<const Value> values) {
  if (core.cores == 1 || values.empty()) return {values.begin(), values.end()};
  const graph::Graph::Scope scope(values.front().graph(), "sum over cores");
  const float share = static_cast<float>(core.rows) / static_cast<float>(core.all);
  const auto sum = [&](Value mean) {
    const Value none = constant(mean.graph(), mean.type(), -0.0);
    return all_reduce(core.rows > 0 ? mean * share : none, core.cores);
  };
  std::vector<Value> means(values.size());
  std::vector<Value> shared;
  for (const Value value : values) {
    if (size_of(value) <= kMostShared) shared.push_back(value);
  }
  for (std::size_t i = values.size(); i-- > 0;) {
    if (size_of(values[i]) > kMostShared) means[i] = sum(values[i]);
  }
  if (shared.empty()) return means;
  const Value buffer = sum(side_by_side(shared));
  std::int64_t first = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (means[i]) continue;
    const std::int64_t size = size_of(values[i]);
    means[i] = reshape(take(buffer, 0, first, first + size), values[i].shape());
    first += size;
  }
  return means;
}

}  // namespace systole::nn
