#include "host/graph/normalize.h"

#include <algorithm>

#include "host/graph/attribute.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

void broadcast_scalar(Value& value, const Value& like) {
  if (value.shape().empty()) value = broadcast_to(value, like.shape());
}

Integers& list(Dimensions& numbers, std::string_view name) {
  const auto found =
      std::ranges::find(numbers.lists, name, [](const auto& entry) { return entry.first; });
  return found != numbers.lists.end() ? found->second
                                      : numbers.lists.emplace_back(name, Integers{}).second;
}

// The names of gather's lists, and of scatter's.
struct BatchingNames {
  std::string_view operand, indices, collapsed, map;
};
constexpr BatchingNames kGather{"operand_batching_dims", "start_indices_batching_dims",
                                "collapsed_slice_dims", "start_index_map"};
constexpr BatchingNames kScatter{"input_batching_dims", "scatter_indices_batching_dims",
                                 "inserted_window_dims", "scatter_dims_to_operand_dims"};

void index_batches(Value& indices, Dimensions& numbers, const BatchingNames& names) {
  const Integers operand = numbers[names.operand], batches = numbers[names.indices];
  if (operand.empty() && batches.empty()) return;
  const std::int64_t rank = indices.type().rank();
  const Integers& vectors = list(numbers, "index_vector_dim");
  const std::int64_t vector = vectors.empty() ? 0 : vectors[0];
  if (operand.size() != batches.size() || vector < 0 || vector > rank ||
      std::ranges::any_of(batches, [&](std::int64_t d) { return d < 0 || d >= rank; })) {
    throw GraphError(fmt::format("{} {} and {} {} do not fit indices of {}", names.operand,
                                 to_string(operand), names.indices, to_string(batches),
                                 to_string(indices.type())));
  }
  Shape shape = indices.shape();
  if (vector == rank) {
    shape.push_back(1);
    indices = reshape(indices, shape);
  }
  shape[static_cast<std::size_t>(vector)] = 1;
  std::vector<Value> coordinates;
  for (const std::int64_t batch : batches) {
    coordinates.push_back(iota(indices.graph(), {indices.type().element, shape}, batch));
  }
  coordinates.push_back(indices);
  indices = concatenate(coordinates, vector);
  Integers& map = list(numbers, names.map);
  map.insert(map.begin(), operand.begin(), operand.end());
  Integers& collapsed = list(numbers, names.collapsed);
  collapsed.insert(collapsed.end(), operand.begin(), operand.end());
  std::ranges::sort(collapsed);
  std::erase_if(numbers.lists, [&](const auto& entry) {
    return entry.first == names.operand || entry.first == names.indices;
  });
}

// A gather of one slice that is the whole operand, wherever its index clamped would be.
void keep_whole(Statement& statement) {
  const auto& numbers = attribute<Dimensions>(statement, "dimension_numbers");
  const Type operand = statement.operands[0].type();
  const Integers &collapsed = numbers["collapsed_slice_dims"],
                 &vector = numbers["index_vector_dim"];
  if (attribute<Integers>(statement, "slice_sizes") != operand.shape ||
      statement.operands[1].type().rank() != 1 || (!vector.empty() && vector[0] != 0)) {
    return;
  }
  Shape shape;
  for (std::int64_t d = 0; d < operand.rank(); ++d) {
    if (!contains(collapsed, d)) shape.push_back(operand.shape[static_cast<std::size_t>(d)]);
  }
  statement.kind = &find_kind("reshape");
  statement.operands.resize(1);
  statement.attributes = {Type{operand.element, shape}};
}

// Sums and largest of predicates are `or`, products and smallest `and`; empty for other functions.
std::string_view of_predicates(std::string_view name) {
  if (name == "add" || name == "maximum") return "or";
  if (name == "multiply" || name == "minimum") return "and";
  return {};
}

void combine_predicates(Statement& statement) {
  if (const std::string_view other = of_predicates(statement.kind->name); !other.empty()) {
    statement.kind = &find_kind(other);
  }
  for (std::size_t i = 0; i < statement.kind->attributes.size(); ++i) {
    if (statement.kind->attributes[i].form != Form::kRegion) continue;
    auto& body = std::get<std::string>(statement.attributes.at(i));
    if (const std::string_view other = of_predicates(body); !other.empty()) body = other;
  }
}

}  // namespace

void normalize(Statement& statement) {
  std::vector<Value>& x = statement.operands;
  if (!x.empty() && x[0].type().element == Element::kPred) combine_predicates(statement);
  const std::string_view name = statement.kind->name;
  if (x.size() != static_cast<std::size_t>(std::max(statement.kind->operands, 0))) return;
  if (name == "select") broadcast_scalar(x[0], x[1]);
  if (name == "clamp") {
    broadcast_scalar(x[0], x[1]);
    broadcast_scalar(x[2], x[1]);
  }
  if (name == "gather") {
    index_batches(x[1], std::get<Dimensions>(statement.attributes[0]), kGather);
    keep_whole(statement);
  }
  if (name == "scatter") {
    index_batches(x[1], std::get<Dimensions>(statement.attributes[0]), kScatter);
  }
}

}  // namespace systole::graph
