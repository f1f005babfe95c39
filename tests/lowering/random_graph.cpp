#include "tests/lowering/random_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "host/cpu/program.h"

namespace systole::tests {

using graph::Element;
using graph::Graph;
using graph::Shape;
using graph::Type;
using graph::Value;

/// The most elements of a repeated tensor.
constexpr std::size_t kMostRepeated = 4'096;

std::size_t count_of(const Type& type) {
  return static_cast<std::size_t>(graph::element_count(type.shape));
}

Tensors on_processor(const Graph& graph, const Tensors& inputs) {
  graph::CpuProgram program(graph, 1);
  std::vector<const void*> from;
  std::vector<void*> to;
  for (const graph::Input& input : graph.inputs()) from.push_back(inputs.at(input.name).data());
  Tensors outputs;
  for (const graph::Output& output : graph.outputs()) {
    to.push_back((outputs[output.name] = Words(count_of(graph.type(output.value)))).data());
  }
  program.run(from, to);
  return outputs;
}

Words draw_words(Random& random, const Type& type) {
  Words words(count_of(type));
  for (std::uint32_t& word : words) {
    const auto number = static_cast<std::int32_t>(random.below(9)) - 4;
    word = type.element == Element::kF32 ? std::bit_cast<std::uint32_t>(static_cast<float>(number))
           : type.element == Element::kPred ? static_cast<std::uint32_t>(number & 1)
                                            : static_cast<std::uint32_t>(number);
  }
  return words;
}

RandomGraph::RandomGraph(std::uint64_t seed) : random_(seed) {
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 19, 33};
  rows_ = kSizes[below(std::size(kSizes))];
  cols_ = kSizes[below(std::size(kSizes))];
  for (const Element element : {Element::kF32, Element::kS32, Element::kPred, Element::kU32}) {
    for (const Shape& shape : {Shape{rows_, cols_}, Shape{rows_}, Shape{cols_}, Shape{}}) {
      if (shape.empty() && element != Element::kF32) continue;
      inputs_.push_back(graph.input(fmt::format("x{}", inputs_.size()), Type{element, shape}));
    }
  }
  weights_ = graph.input("weights", {Element::kF32, {cols_, cols_}});
  values_ = inputs_;
  values_.push_back(weights_);
  values_.push_back(constant(graph, {Element::kF32, {rows_, cols_}}, 3));
  values_.push_back(table(Element::kS32));
  const std::size_t work = below(12);
  for (std::size_t i = 0; i < work; ++i) {
    if (const Value value = make()) values_.push_back(value);
  }
  draw_outputs();
}

std::size_t RandomGraph::below(std::size_t count) {
  return random_.below(static_cast<std::uint32_t>(count));
}

Value RandomGraph::table(Element element) {
  graph::Literal literal{{element, {rows_, cols_}}, {}};
  for (std::int64_t i = 0; i < rows_ * cols_; ++i) {
    literal.values.push_back(static_cast<double>(i % 3) - 1);
  }
  return constant(graph, literal);
}

Value RandomGraph::any() { return values_[below(values_.size())]; }

Value RandomGraph::any(const Type& type) {
  for (int tries = 0; tries < 64; ++tries) {
    const Value value = any();
    if (value.type() == type) return value;
  }
  return {};
}

Value RandomGraph::small(Value x) { return clamp(constant_like(x, -4), x, constant_like(x, 4)); }

Value RandomGraph::product(Value a, Value b, const graph::DotDimensions& dimensions) {
  has_products = true;
  return small(dot_general(a, b, dimensions));
}

Value RandomGraph::make() {
  const Value a = any();
  const Type type = a.type();
  const bool is_float = type.element == Element::kF32, is_pred = type.element == Element::kPred;
  const Value b = any(type);
  const Shape full = {rows_, cols_};
  switch (below(15)) {
    case 0:
    case 1:
      return b ? combined(a, b) : Value();
    case 2:
      if (!b || is_pred) return {};
      return compare(a, below(2) == 0 ? "LT" : "EQ", b);
    case 3: {
      const Value p = any({Element::kPred, type.shape});
      return b && p ? select(p, a, b) : Value();
    }
    case 4:
      if (is_pred) return convert(a, below(2) == 0 ? Element::kF32 : Element::kS32);
      if (type.element == Element::kU32) return convert(a, Element::kS32);
      return is_float ? convert(a, Element::kS32) : convert(small(a), Element::kF32);
    case 5:
      return type.rank() == 0 ? Value() : reduced(a);
    case 6:
      if (type.shape == Shape{rows_}) return repeat(a, full, {1});
      if (type.shape == Shape{cols_}) return repeat(a, full, {0});
      return type.rank() == 0 ? broadcast_to(a, full) : Value();
    case 7:
      if (!is_float || type.shape != full) return {};
      return product(a, weights_, {.lhs_contracting = {1}, .rhs_contracting = {0}});
    case 8:
      if (!is_float || type.shape != full || !b) return {};
      return product(a, b, {.lhs_contracting = {0}, .rhs_contracting = {0}});  // [cols, cols]
    case 9:
      return reshape(a, {graph::element_count(type.shape)});
    case 10:
      return type.rank() == 0 ? Value() : moved(a);
    case 11:
      return type.rank() == 0 || count_of(type) > kMostRepeated ? Value() : repeated(a);
    case 12:
      return is_float && type.rank() == 3 && b ? batches(a, b) : Value();
    case 13:
      return is_float && type.rank() > 0 ? centred(a) : Value();
    default:
      return is_pred || type.rank() < 2 ? Value() : masked(a);
  }
}

Value RandomGraph::moved(Value a) {
  graph::Integers order = graph::counting(a.type().rank());
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  return transpose(a, order);
}

// With a new dimension anywhere.
Value RandomGraph::repeated(Value a) {
  const auto place = static_cast<std::int64_t>(below(a.shape().size() + 1));
  Shape shape = a.shape();
  shape.insert(shape.begin() + place, static_cast<std::int64_t>(1 + below(3)));
  graph::Integers dimensions = graph::counting(std::ssize(shape));
  dimensions.erase(dimensions.begin() + place);
  return broadcast_in_dim(a, shape, dimensions);
}

Value RandomGraph::batches(Value a, Value b) {
  const auto batch = static_cast<std::int64_t>(below(3));
  const std::int64_t depth = (batch + 1 + static_cast<std::int64_t>(below(2))) % 3;
  return product(a, b, {{batch}, {batch}, {depth}, {depth}});
}

// As a softmax and a normalisation are: less the largest or the sum of a dimension.
Value RandomGraph::centred(Value a) {
  const auto d = static_cast<std::int64_t>(below(a.shape().size()));
  graph::Integers others = graph::counting(a.type().rank());
  others.erase(others.begin() + d);
  const bool is_sum = below(2) == 0;
  const Value start = constant(graph, {Element::kF32, {}}, is_sum ? 0 : -4);
  const Value row = small(reduce(a, start, is_sum ? "add" : "maximum", {d}));
  return small(a - broadcast_in_dim(row, a.shape(), others));
}

// By its place in two dimensions, as attention is.
Value RandomGraph::masked(Value a) {
  const auto rank = a.shape().size();
  const std::size_t row = below(rank), col = (row + 1 + below(rank - 1)) % rank;
  const Type places{Element::kS32, a.shape()};
  const Value seen = compare(iota(graph, places, static_cast<std::int64_t>(row)), "GE",
                             iota(graph, places, static_cast<std::int64_t>(col)));
  return select(seen, a, constant_like(a, 3));
}

Value RandomGraph::combined(Value a, Value b) {
  if (a.type().element == Element::kPred) {
    return graph.add(below(2) == 0 ? "and" : "or", {a, b});
  }
  const bool is_float = a.type().element == Element::kF32;
  switch (below(5)) {
    case 0:
      return is_float ? small(a + b) : a + b;
    case 1:
      return is_float ? small(a - b) : a - b;
    case 2:
      return is_float ? small(a * b) : a * b;
    case 3:
      return maximum(a, b);
    default:
      return graph::minimum(a, b);
  }
}

Value RandomGraph::reduced(Value a) {
  const auto rank = a.type().rank();
  graph::Integers dimensions = graph::counting(rank);
  if (rank >= 2 && below(3) != 0) {
    std::erase_if(dimensions, [&](std::int64_t) { return below(2) == 0; });
    if (dimensions.empty()) dimensions = {static_cast<std::int64_t>(below(a.shape().size()))};
  }
  const Element element = a.type().element;
  if (element == Element::kPred) {
    const bool any = below(2) == 0;
    return graph::reduce(a, constant(graph, {element, {}}, any ? 0 : 1), any ? "or" : "and",
                         dimensions);
  }
  const std::size_t body = below(3);
  const double start = body == 0 ? static_cast<double>(below(2)) : body == 1 ? 0 : 4;
  const Value result = graph::reduce(a, constant(graph, {element, {}}, start),
                                     body == 0   ? "add"
                                     : body == 1 ? "maximum"
                                                 : "minimum",
                                     dimensions);
  return element == Element::kF32 ? small(result) : result;
}

void RandomGraph::draw_outputs() {
  const std::size_t count = 1 + below(6);
  std::set<int> updated;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("y{}", i);
    const bool is_late = below(2) == 0;
    const Value value = is_late ? values_.back() : any();
    const auto input = std::ranges::find_if(inputs_, [&](Value one) {
      return one.type() == value.type() && one.type().element != Element::kPred &&
             !updated.contains(one.id());
    });
    if (below(3) == 0 && input != inputs_.end()) {
      updated.insert(input->id());
      graph.update(*input, name, value);
    } else {
      graph.output(name, value);
    }
  }
  for (const Value input : inputs_) {
    if (input.shape().empty() || updated.contains(input.id()) || below(6) != 0) continue;
    for (const graph::Input& one : graph.inputs()) {
      if (one.value == input.id()) resident.insert(one.name);
    }
  }
}

}  // namespace systole::tests
