#include <algorithm>
#include <cmath>

#include "host/graph/cores.h"
#include "host/graph/gradient.h"
#include "host/graph/operations/body.h"
#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"

namespace systole::graph {

using std::int64_t;

Body body_of(const Call& call) {
  constexpr std::string_view kNames[] = {"add", "multiply", "maximum", "minimum",
                                         "and", "or",       "set"};
  const std::string& word = call.word("body");
  const auto found = std::ranges::find(kNames, word);
  call.need(found != std::end(kNames),
            "a body of {} is unknown: choose from add, multiply, maximum, minimum, and, or", word);
  if (word == "set") {
    call.need(call.kind.name == "scatter", "a body of set is scatter's alone");
    return Body::kSet;
  }
  const bool is_logic = word == "and" || word == "or";
  const Element element = call.operands[0].element;
  call.need(is_logic ? !is_float(element) : element != Element::kPred,
            "a body of {} cannot take {}", word, to_string(element));
  return static_cast<Body>(found - std::begin(kNames));
}

double multiply(Element element, double a, double b) {
  if (!is_integer(element)) return a * b;
  const auto bits = [](double x) { return static_cast<std::uint64_t>(static_cast<int64_t>(x)); };
  const auto product = static_cast<std::uint32_t>(bits(a) * bits(b));
  return round_to(element, product);
}

double apply(Body body, Element element, double a, double b) {
  switch (body) {
    case Body::kAdd:
      return a + b;
    case Body::kMultiply:
      return multiply(element, a, b);
    case Body::kMaximum:
      return a > b || std::isnan(a) ? a : b;
    case Body::kMinimum:
      return a < b || std::isnan(a) ? a : b;
    case Body::kAnd:
      return static_cast<double>(static_cast<int64_t>(a) & static_cast<int64_t>(b));
    case Body::kOr:
      return static_cast<double>(static_cast<int64_t>(a) | static_cast<int64_t>(b));
    case Body::kSet:
      return b;
  }
  return a;
}

namespace {

std::vector<Type> infer_reduce(const Call& call) {
  const Type& x = call.operands[0];
  body_of(call);
  call.need(call.operands[1] == Type{x.element, {}}, "the start is {}, not {}",
            to_string(call.operands[1]), to_string(Type{x.element, {}}));
  const Integers& dimensions = call.integers("dimensions");
  for (const int64_t d : dimensions) {
    call.need(d >= 0 && d < x.rank() && std::ranges::count(dimensions, d) == 1,
              "dimension {} is not one of {}, or named twice", d, x.rank());
  }
  Type type{x.element, {}};
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!contains(dimensions, d)) type.shape.push_back(x.shape[d]);
  }
  return {type};
}

std::vector<Literal> evaluate_reduce(const Call& call, std::span<const Literal> x) {
  const Body body = body_of(call);
  const Type type = infer_reduce(call)[0];
  Literal result{type, std::vector<double>(element_count(type.shape), x[1].at(0))};
  const Integers strides = row_major_strides(type.shape);
  int64_t i = 0;
  for_each_index(x[0].type.shape, [&](const Integers& index) {
    int64_t place = 0;
    std::size_t kept = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (!contains(call.integers("dimensions"), static_cast<int64_t>(d))) {
        place += index[d] * strides[kept++];
      }
    }
    double& sum = result.values[place];
    sum = apply(body, type.element, sum, x[0].at(i++));
  });
  return {result};
}

// Elements equal to the maximum share its gradient.
void d_reduce(Backward& b) {
  const Integers& dimensions = b.call().integers("dimensions");
  const Body body = body_of(b.call());
  const Value x = b.operand(0);
  if (body == Body::kAdd) {
    if (b.wants(0)) b.give(0, repeat(b.d(), x.shape(), dimensions));
    if (b.wants(1)) b.give(1, sum(b.d()));
    return;
  }
  b.call().need((body == Body::kMaximum || body == Body::kMinimum) && !b.wants(1),
                "has no gradient for a body of {}", b.call().word("body"));
  const Value found = compare(x, "EQ", repeat(b.result(), x.shape(), dimensions));
  const Value winners = convert(found, x.type().element);
  const Value share = b.d() / sum(winners, dimensions);
  b.give(0, winners * repeat(share, x.shape(), dimensions));
}

// StableHLO leaves the order of the sum to the implementation: here it is that of the cores.
std::vector<Type> infer_all_reduce(const Call& call) {
  const Integers& group = call.integers("replica_groups");
  call.need(!group.empty() && group == counting(std::ssize(group)),
            "replica_groups are {}, not one group of all cores in their order", to_string(group));
  call.need(call.word("body") == "add", "cores have no {} of their values, only a sum: add",
            call.word("body"));
  call.need_elements(0, call.operands[0].element == Element::kF32, "f32");
  return {call.operands[0]};
}

std::vector<Literal> evaluate_all_reduce(const Call& call, std::span<const Literal> x) {
  const std::size_t cores = call.integers("replica_groups").size();
  call.need(cores == 1, "it adds values of {} cores, and here is one", cores);
  const std::int64_t count = element_count(x[0].type.shape);
  Literal result{x[0].type, {}};
  for (std::int64_t i = 0; i < count; ++i) result.values.push_back(x[0].at(i));
  return {result};
}

// The loss is the sum of all cores' losses, each of which may depend on each core's value.
void d_all_reduce(Backward& b) {
  b.give(0, all_reduce(b.d(), std::ssize(b.call().integers("replica_groups"))));
}

}  // namespace

std::span<const OperationKind> reduction_kinds() {
  static const std::vector<OperationKind> kKinds = {
      {.name = "reduce",
       .operands = 2,
       .attributes = {{"dimensions", Form::kIntegers}, {"body", Form::kRegion}},
       .infer = infer_reduce,
       .evaluate = evaluate_reduce,
       .gradient = d_reduce},
      {.name = "all_reduce",
       .attributes = {{"replica_groups", Form::kPairs, "group"}, {"body", Form::kRegion}},
       .infer = infer_all_reduce,
       .evaluate = evaluate_all_reduce,
       .gradient = d_all_reduce},
  };
  return kKinds;
}

}  // namespace systole::graph
