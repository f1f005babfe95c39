#include "host/graph/asked_product.h"

#include <algorithm>
#include <array>

#include "host/graph/arranged_convolution.h"
#include "host/graph/attribute.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// Of "<a = b, c = d>" the word after "name =".
std::string_view field(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(std::min(text.find('=', at), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of("= \n"), text.size()));
  return text.substr(0, text.find_first_of(",> \n"));
}

// Numbers of bf16 whose sum is x.
std::vector<Value> terms(Value x, int count) {
  std::vector<Value> terms;
  while (static_cast<int>(terms.size()) < count - 1) {
    terms.push_back(convert(convert(x, Element::kBf16), Element::kF32));
    x = x - terms.back();
  }
  terms.push_back(x);
  return terms;
}

Value sum_of_products(const Operation& operation, Value a, Value b, int asked) {
  Graph& graph = a.graph();
  const auto product = [&](Value left, Value right) {
    return graph.add(operation, std::array{left, right})[0];
  };
  if (asked == 1) return product(a, b);
  const int count = asked == 3 ? 2 : 3;
  const std::vector<Value> left = terms(a, count), right = terms(b, count);
  Value low;
  for (int level = asked == 9 ? 4 : count - 1; level > 0; --level) {  // the smallest first
    for (int i = std::min(level, count - 1); i >= std::max(0, level - count + 1); --i) {
      const Value more = product(left[i], right[level - i]);
      low = low ? low + more : more;
    }
  }
  return product(left[0], right[0]) + select(compare(low, "EQ", low), low, constant_like(low, 0));
}

bool is_run(const Integers& dimensions, std::int64_t first) {
  for (const std::int64_t d : dimensions) {
    if (d != first++) return false;
  }
  return true;
}

// The operand with its batching dimensions first and those it sums over last, if neither they nor
// the depth after the batches lie so already.
Value arranged(Value x, Integers& batching, Integers& contracting) {
  const auto batches = static_cast<std::int64_t>(batching.size());
  const auto rank = x.type().rank();
  const auto first_depth = rank - static_cast<std::int64_t>(contracting.size());
  if (is_run(batching, 0) && (is_run(contracting, batches) || is_run(contracting, first_depth))) {
    return x;
  }
  Integers order = batching;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (!contains(batching, d) && !contains(contracting, d)) order.push_back(d);
  }
  order.insert(order.end(), contracting.begin(), contracting.end());
  for (std::size_t i = 0; i < batching.size(); ++i) batching[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < contracting.size(); ++i) {
    contracting[i] = first_depth + static_cast<std::int64_t>(i);
  }
  return transpose(x, order);
}

void arrange(Operation& product, std::vector<Value>& operands) {
  const auto& numbers = attribute<Dimensions>(product, "dot_dimension_numbers");
  DotDimensions dot{.lhs_batching = numbers["lhs_batching_dimensions"],
                    .rhs_batching = numbers["rhs_batching_dimensions"],
                    .lhs_contracting = numbers["lhs_contracting_dimensions"],
                    .rhs_contracting = numbers["rhs_contracting_dimensions"]};
  operands[0] = arranged(operands[0], dot.lhs_batching, dot.lhs_contracting);
  operands[1] = arranged(operands[1], dot.rhs_batching, dot.rhs_contracting);
  product.attributes = {Dimensions{{{"lhs_batching_dimensions", dot.lhs_batching},
                                    {"rhs_batching_dimensions", dot.rhs_batching},
                                    {"lhs_contracting_dimensions", dot.lhs_contracting},
                                    {"rhs_contracting_dimensions", dot.rhs_contracting}}}};
}

}  // namespace

int asked_by_precision(std::string_view value) {
  int asked = 1;
  for (std::size_t i = 0; i < value.size();) {
    std::size_t end = i;
    while (end < value.size() && is_upper(value[end])) ++end;
    const std::string_view word = value.substr(i, end - i);
    i = std::max(end, i + 1);
    if (word.empty() || word == "DEFAULT") continue;
    if (word != "HIGH" && word != "HIGHEST") {
      throw GraphError(
          fmt::format("unknown precision {}: choose from DEFAULT, HIGH, HIGHEST", word));
    }
    asked = std::max(asked, word == "HIGH" ? 3 : 6);
  }
  return asked;
}

int asked_by_algorithm(std::string_view value) {
  const std::string_view type = field(value, "lhs_precision_type"),
                         count = field(value, "num_primitive_operations");
  const bool is_plain =
      type == field(value, "rhs_precision_type") && field(value, "accumulation_type") == "f32" &&
      field(value, "lhs_component_count") == "1" && field(value, "rhs_component_count") == "1";
  if (is_plain && type == "f32" && count == "1") return 6;
  if (is_plain && type == "bf16") {
    for (const int known : {1, 3, 6, 9}) {
      if (count == fmt::format("{}", known)) return known;
    }
  }
  throw GraphError(
      fmt::format("no device has the algorithm {}: choose from BF16_BF16_F32, BF16_BF16_F32_X3, "
                  "BF16_BF16_F32_X6, BF16_BF16_F32_X9 and F32_F32_F32",
                  value));
}

Value asked_product(const Operation& operation, std::vector<Value> operands, int asked,
                    Element result, Products products) {
  Operation product = operation;
  const bool are_floats =
      std::ranges::all_of(operands, [](Value x) { return is_float(x.type().element); });
  if (!are_floats) {
    const Value y = operands[0].graph().add(product, operands)[0];
    return is_integer(result) && is_integer(y.type().element) ? convert(y, result) : y;
  }
  if (!is_float(result)) result = operands[0].type().element;  // whose type is then refused
  const bool on_device = products != Products::kFp32;
  const bool are_exact =
      std::ranges::all_of(operands, [](Value x) { return x.type().element == Element::kBf16; });
  for (Value& x : operands) x = convert(x, Element::kF32);
  if (asked > 1 && products == Products::kInt8) {
    throw GraphError(
        "products in int8 have no HIGH or HIGHEST precision: open the device with bf16, or ask for "
        "the default");
  }
  if (are_exact || products == Products::kFp32) asked = 1;
  if (asked > 1 && products == Products::kBf16Alone) {
    throw GraphError(
        "a whole step multiplies in bf16 and has no HIGH or HIGHEST precision: run its products "
        "one by one (systole_compile), or ask for the default");
  }
  if (on_device && product.kind->name == "dot_general") {
    operands[0].graph().add(product, operands);  // whose errors are those of the text's dimensions
    arrange(product, operands);
  }
  if (on_device && product.kind->name == "convolution") {
    const ArrangedConvolution arranged = arranged_convolution(product, operands);
    const Value y =
        sum_of_products(arranged.convolution, arranged.operands[0], arranged.operands[1], asked);
    return convert(arranged.result(y), result);
  }
  return convert(sum_of_products(product, operands[0], operands[1], asked), result);
}

}  // namespace systole::graph
