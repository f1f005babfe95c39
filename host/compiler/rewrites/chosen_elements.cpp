#include "host/compiler/rewrites/chosen_elements.h"

#include <algorithm>
#include <map>
#include <vector>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/attribute.h"
#include "host/graph/indexing.h"
#include "host/graph/known_values.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

/// Which elements of a tensor numbers choose: along one dimension of it, at every place along the
/// others, `count` a place.
struct Choice {
  Value numbers;  ///< before[0], count, after: in the order of what is chosen
  std::int64_t before = 1, columns = 1, after = 1;
  std::int64_t count = 1;

  std::int64_t rows() const { return before * after; }
};

/// The number of each dimension in `map` that vectors hold; none if they are not joined of them.
std::vector<Value> numbers_of(Value vectors, const graph::Indexing& how) {
  if (how.map.size() == 1) return {vectors};
  const Operation* joined = vectors.graph().maker(vectors.id());
  if (!is(joined, "concatenate") || joined->operands.size() != how.map.size() ||
      graph::attribute<std::int64_t>(*joined, "dimension") != how.vector_dimension) {
    return {};
  }
  std::vector<Value> numbers;
  for (const int operand : joined->operands) numbers.push_back(vectors.graph().value(operand));
  return numbers;
}

/// Whether a slice is an element: what the vectors do not name has one place.
bool chooses_elements(const graph::Indexing& how, const Shape& shape) {
  for (std::int64_t d = 0; d < std::ssize(shape); ++d) {
    const bool is_named = std::ranges::count(how.map, d) != 0;
    const bool is_collapsed = std::ranges::count(how.collapsed, d) != 0;
    if (is_named ? !is_collapsed : shape[static_cast<std::size_t>(d)] != 1) return false;
  }
  return !how.map.empty();
}

/// Nothing if the vectors' other numbers are not each place's.
std::optional<Choice> choice_of(const graph::Call& call, Value x, Value vectors) {
  const graph::Indexing how = graph::indexing_of(call);
  const Shape& shape = x.shape();
  if (!chooses_elements(how, shape)) return {};
  const std::vector<Value> numbers = numbers_of(vectors, how);
  const std::int64_t all = graph::element_count(vectors.shape()) / std::ssize(how.map);
  graph::KnownValues known(vectors.graph(), all);
  if (numbers.empty()) return {};
  std::size_t data = numbers.size() - 1;
  std::map<std::size_t, const graph::Literal*> places;  // by the operand's dimension
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (graph::element_count(numbers[i].shape()) != all) return {};
    if (known.find(numbers[i].id()) == nullptr) data = i;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i == data) continue;
    const graph::Literal* place = known.find(numbers[i].id());
    if (place == nullptr) return {};
    places[static_cast<std::size_t>(how.map[i])] = place;
  }
  const auto along = static_cast<std::size_t>(how.map[data]);
  Choice choice{.numbers = numbers[data], .columns = shape[along]};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d != along) (d < along ? choice.before : choice.after) *= shape[d];
  }
  if (choice.rows() == 0 || all == 0 || all % choice.rows() != 0) return {};
  choice.count = all / choice.rows();
  if (choice.count == 1) choice.numbers = reshape(choice.numbers, {choice.rows()});
  for (std::int64_t i = 0; i < all; ++i) {
    std::int64_t row = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (d == along) continue;
      const auto place = places.find(d);
      row *= shape[d];
      if (place != places.end()) row += static_cast<std::int64_t>(place->second->at(i));
    }
    const std::int64_t after = choice.after;
    if (row != i / (choice.count * after) * after + i % after) return {};
  }
  return choice;
}

/// [before, middle, after] with the middle last, or back again.
Value exchanged(Value x, std::int64_t before, std::int64_t second, std::int64_t third) {
  return second == 1 || third == 1 ? x : transpose(reshape(x, {before, second, third}), {0, 2, 1});
}

/// A choice as rows of columns: one for each number.
class ChosenRows {
 public:
  explicit ChosenRows(const Choice& choice) : choice_(choice) {
    const std::int64_t rows = choice.rows(), count = choice.count;
    if (rows > 1 || count == 1) shape_.push_back(rows);
    if (count > 1) shape_.push_back(count);
  }

  /// What lies as the numbers do, repeated along each number's row.
  Value along_rows(Value x) const {
    const Value plain = reshape(exchanged(x, choice_.before, choice_.count, choice_.after), shape_);
    return broadcast_in_dim(plain, table(), graph::counting(std::ssize(shape_)));
  }
  /// And back, of a number each.
  Value as_numbers(Value x, const Shape& shape) const {
    return reshape(exchanged(x, choice_.before, choice_.after, choice_.count), shape);
  }

  /// The tensor of which elements are chosen, for each number.
  Value tensor(Value x) const {
    const Value rows = reshape(exchanged(x, choice_.before, choice_.columns, choice_.after),
                               {choice_.rows(), choice_.columns});
    if (choice_.count == 1) return rows;
    if (choice_.rows() == 1)
      return broadcast_in_dim(reshape(rows, {choice_.columns}), table(), {1});
    return broadcast_in_dim(rows, table(), {0, 2});
  }
  /// The sum of what each number gives to an element.
  Value total(Value x, const Shape& shape) const {
    if (choice_.count > 1) x = sum(x, {std::ssize(shape_) - 1});
    return reshape(exchanged(x, choice_.before, choice_.after, choice_.columns), shape);
  }

  Value is_chosen(Value numbers) const {
    const Value columns =
        iota(numbers.graph(), {numbers.type().element, table()}, std::ssize(shape_));
    return compare(columns, "EQ", along_rows(numbers));
  }
  Shape table() const {
    Shape shape = shape_;
    shape.push_back(choice_.columns);
    return shape;
  }

 private:
  Choice choice_;
  Shape shape_;  ///< of numbers
};

std::optional<Value> rewritten(const graph::Call& call, std::span<const Value> x,
                               const Shape& result) {
  const bool gathers = call.kind.name == "gather", scatters = call.kind.name == "scatter";
  if (!gathers && !scatters) return {};
  const Element element = x[0].type().element;
  if (element != Element::kF32 && element != Element::kS32 && element != Element::kU32) return {};
  const bool adds = scatters && call.word("body") == "add";
  if (!gathers && !adds) return {};
  const std::optional<Choice> choice = choice_of(call, x[0], x[1]);
  if (!choice) return {};
  const ChosenRows rows(*choice);
  const Value numbers = choice->numbers;
  const Value zero = broadcast_in_dim(constant(x[0].graph(), {element, {}}, 0), rows.table(), {});
  if (gathers) {
    const auto last = static_cast<double>(choice->columns - 1);
    const Value inside = clamp(constant_like(numbers, 0), numbers, constant_like(numbers, last));
    const Value chosen = select(rows.is_chosen(inside), rows.tensor(x[0]), zero);
    return rows.as_numbers(sum(chosen, {std::ssize(rows.table()) - 1}), result);
  }
  const Value chosen = select(rows.is_chosen(numbers), rows.along_rows(x[2]), zero);
  return x[0] + rows.total(chosen, x[0].shape());
}

}  // namespace

std::unique_ptr<Graph> chosen_elements(const Graph& graph) {
  return rewrite(graph, [&](const Operation& operation, std::span<const Value> values) {
    std::vector<Value> operands;
    for (const int operand : operation.operands) operands.push_back(values[operand]);
    return rewritten(graph.call(operation), operands, graph.type(operation.results[0]).shape);
  });
}

}  // namespace systole::lowering
