#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "host/graph/print_philox.h"
#include "host/graph/printer.h"
#include "host/graph/text.h"

namespace systole::graph {
namespace {

/// What a reduction by this operation may begin with any number of times.
double identity_of(std::string_view body, Element element) {
  const auto extreme = [&](bool largest) -> double {
    if (is_float(element)) return largest ? INFINITY : -INFINITY;
    const auto of = [&](auto word) -> double {
      using Limits = std::numeric_limits<decltype(word)>;
      return largest ? Limits::max() : Limits::min();
    };
    switch (element) {
      case Element::kS8:
        return of(std::int8_t{});
      case Element::kU8:
        return of(std::uint8_t{});
      case Element::kU32:
        return of(std::uint32_t{});
      case Element::kPred:
        return largest ? 1 : 0;
      default:
        return of(std::int32_t{});
    }
  };
  if (body == "maximum") return extreme(false);
  if (body == "minimum") return extreme(true);
  if (body == "and") return element == Element::kPred ? 1 : round_to(element, -1);
  return body == "multiply" ? 1 : 0;
}

class PortablePrinter final : public Printer {
 public:
  PortablePrinter(const Graph& graph, Products products) : Printer(graph), products_(products) {
    for (const Operation& operation : graph.operations()) {
      if (!is_random(operation)) continue;
      const std::string prefix = prefix_of(operation);
      rename(operation.results[0], prefix + ".after");
      rename(operation.results[1], prefix + ".bits");
    }
  }

 protected:
  std::string line(const Operation& operation) const override {
    const std::string_view name = operation.kind->name;
    if (is_random(operation)) return print_random(operation);
    if (name == "dot_general" || name == "convolution") return print_product(operation);
    if (name == "reduce") return print_reduction(operation);
    Words words = words_of(operation);
    if (name.starts_with("erf")) words.name = fmt::format("chlo.{}", name);
    return Printer::line(operation, words);
  }

 private:
  static bool is_random(const Operation& operation) {
    return operation.kind->name == "rng_bit_generator";
  }
  // No input's name begins with a period.
  std::string prefix_of(const Operation& operation) const {
    std::string prefix = group_of(operation);
    if (!prefix.starts_with("%.")) return "%." + prefix.substr(1);
    prefix.resize(prefix.rfind('.'));
    return prefix;
  }

  std::string print_random(const Operation& operation) const {
    return print_philox(name(operation.operands[0]), name(operation.results[1]),
                        graph().type(operation.results[1]).shape, name(operation.results[0]),
                        prefix_of(operation));
  }

  // StableHLO lets an implementation begin with the initial value as often as it likes; XLA does.
  std::string print_reduction(const Operation& operation) const {
    const Type& result = graph().type(operation.results[0]);
    const std::string body = body_of(operation);
    const double identity = identity_of(body, result.element);
    const auto start = graph().splat(operation.operands[1]);
    if (start && *start == identity) return Printer::line(operation);
    const std::string prefix = prefix_of(operation);
    Words words = words_of(operation);
    const std::string init = std::exchange(words.operands[1], prefix + ".identity");
    words.result = prefix + ".reduced";
    const Type scalar{result.element, {}};
    const std::string type = to_string(result);
    std::string text =
        fmt::format("    {}.identity = \"stablehlo.constant\"() <{{value = {}}}> : () -> {}\n",
                    prefix, print_literal({scalar, {identity}}), to_string(scalar));
    text += Printer::line(operation, words);
    text += fmt::format(
        "    {}.init = \"stablehlo.broadcast_in_dim\"({}) <{{broadcast_dimensions = array<i64>}}> "
        ": "
        "({}) -> {}\n",
        prefix, init, to_string(scalar), type);
    return text +
           fmt::format("    {0} = \"stablehlo.{1}\"({2}.reduced, {2}.init) : ({3}, {3}) -> {3}\n",
                       name(operation.results[0]), body, prefix, type);
  }
  static std::string body_of(const Operation& operation) {
    for (std::size_t i = 0; i < operation.attributes.size(); ++i) {
      if (operation.kind->attributes[i].form == Form::kRegion) {
        return std::get<std::string>(operation.attributes[i]);
      }
    }
    return {};
  }

  // reduce_precision, because XLA may leave out a conversion to bf16 and back.
  std::string print_product(const Operation& operation) const {
    Words words = words_of(operation);
    std::string before;
    const bool rounds = products_ == Products::kBf16;
    for (std::size_t i = 0; rounds && i < words.operands.size(); ++i) {
      const Type& type = graph().type(operation.operands[i]);
      if (type.element != Element::kF32) continue;
      const std::string rounded = fmt::format("{}.{}", prefix_of(operation), i);
      before += fmt::format(
          "    {0} = \"stablehlo.reduce_precision\"({1}) <{{exponent_bits = 8 : i32, mantissa_bits "
          "= 7 : i32}}> : ({2}) -> {2}\n",
          rounded, words.operands[i], to_string(type));
      words.operands[i] = rounded;
    }
    words.properties.push_back(
        fmt::format("precision_config = [#stablehlo<precision {0}>, #stablehlo<precision {0}>]",
                    rounds ? "DEFAULT" : "HIGHEST"));
    return before + Printer::line(operation, words);
  }

  const Products products_;
};

}  // namespace

std::string print_portable(const Graph& graph, Products products) {
  if (products != Products::kFp32 && products != Products::kBf16) {
    throw GraphError("other devices multiply fp32 or bf16");
  }
  return PortablePrinter(graph, products).module_text();
}

}  // namespace systole::graph
