#include "host/graph/read_argmax.h"

#include <limits>
#include <map>

#include "host/graph/attribute.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

constexpr const char* kRefused =
    "reduce: over several operands only an argmax or argmin is supported";

// The text with its values numbered in the order of their names, without spaces and locations.
std::string canonical(std::string_view text) {
  std::string result;
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("loc(")) {
      i = std::min(text.find(')', i), text.size() - 1) + 1;
      continue;
    }
    if (text[i] != '%') {
      if (text[i] != ' ' && text[i] != '\n') result += text[i];
      ++i;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" ,:)=", i), text.size());
    const auto number = numbers.emplace(text.substr(i, end - i), numbers.size()).first->second;
    result += fmt::format("%{}", number);
    i = end;
  }
  return result;
}

// As JAX writes it, from the arguments on.
std::string reducer(std::string_view element, std::string_view direction) {
  const std::string_view kind = element.starts_with("ui")               ? "UNSIGNED"
                                : element == "f32" || element == "bf16" ? "FLOAT"
                                                                        : "SIGNED";
  return canonical(fmt::format(
      "(%x: tensor<{0}>, %y: tensor<{0}>) (%i: tensor<i32>, %j: tensor<i32>) {{"
      "%0 = stablehlo.compare {1}, %x, %y, {2} : (tensor<{0}>, tensor<{0}>) -> tensor<i1>"
      "%1 = stablehlo.compare NE, %x, %x, {2} : (tensor<{0}>, tensor<{0}>) -> tensor<i1>"
      "%2 = stablehlo.or %0, %1 : tensor<i1>"
      "%3 = stablehlo.compare EQ, %x, %y, {2} : (tensor<{0}>, tensor<{0}>) -> tensor<i1>"
      "%4 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>"
      "%5 = stablehlo.and %3, %4 : tensor<i1>"
      "%6 = stablehlo.or %2, %5 : tensor<i1>"
      "%7 = stablehlo.select %2, %x, %y : tensor<i1>, tensor<{0}>"
      "%8 = stablehlo.select %6, %i, %j : tensor<i1>, tensor<i32>"
      "stablehlo.return %7, %8 : tensor<{0}>, tensor<i32> }}",
      element, direction, kind));
}

}  // namespace

bool counts_along(Value places, std::int64_t dimension) {
  const Operation* made = places.graph().maker(places.id());
  return made != nullptr && made->kind->name == "iota" &&
         attribute<std::int64_t>(*made, "iota_dimension") == dimension;
}

std::vector<Value> extreme(Value x, Value start, Value places, std::int64_t dimension,
                           bool is_largest) {
  const Type& type = x.type();
  if (dimension < 0 || dimension >= type.rank() || !counts_along(places, dimension) ||
      places.type() != Type{Element::kS32, type.shape} ||
      type.shape[static_cast<std::size_t>(dimension)] == 0) {
    throw GraphError(kRefused);
  }
  const bool is_predicate = type.element == Element::kPred;
  const std::string_view largest = is_predicate ? "or" : "maximum";
  const std::string_view smallest = is_predicate ? "and" : "minimum";
  const Value best = reduce(x, start, is_largest ? largest : smallest, {dimension});
  const Value repeated = repeat(best, x.shape(), {dimension});
  Value holds = compare(x, "EQ", repeated);
  if (is_float(type.element)) holds = x.graph().add("or", {holds, compare(x, "NE", x)});
  const Value last = constant_like(places, std::numeric_limits<std::int32_t>::max());
  return {best, reduce(select(holds, places, last), last, "minimum", {dimension})};
}

std::optional<std::vector<Value>> read_argmax(Scanner& in, const Names& names) {
  const std::size_t place = in.place();
  if (!in.accept("stablehlo.reduce")) return {};
  std::vector<Value> operands, starts;
  const auto read_pair = [&] {
    in.expect("(");
    operands.push_back(names.use(in));
    in.expect("init", ":");
    starts.push_back(names.use(in));
    in.expect(")");
  };
  read_pair();
  if (!in.accept(",")) {
    in.move_to(place);
    return {};
  }
  const auto refuse = [&] { in.fail_at(place, kRefused); };
  read_pair();
  if (!in.accept("across")) refuse();
  in.expect("dimensions", "=", "[");
  const std::int64_t dimension = in.integer();
  if (!in.accept("]")) refuse();
  in.expect(":");
  in.group();
  in.expect("->");
  in.group();
  in.expect("reducer");
  std::string body(in.group());
  body += in.group();
  body += in.group();
  pass_location(in);
  body = canonical(body);
  const std::string_view element = to_string(operands[0].type().element);
  const bool is_largest = body == reducer(element, "GT");
  if (!is_largest && body != reducer(element, "LT")) refuse();
  try {
    return extreme(operands[0], starts[0], operands[1], dimension, is_largest);
  } catch (const GraphError& error) {
    in.fail_at(place, error.what());
  }
}

}  // namespace systole::graph
