#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "host/graph/checksum.h"
#include "host/graph/printer.h"
#include "host/graph/text.h"

namespace systole::graph {
namespace {

std::string print_number(Element element, double value) {
  if (element == Element::kPred) return value != 0 ? "true" : "false";
  if (!is_float(element)) return fmt::format("{}", static_cast<std::int64_t>(value));
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (!std::isfinite(value)) {
    return element == Element::kF32 ? fmt::format("0x{:08X}", bits)
                                    : fmt::format("0x{:04X}", bits >> 16);
  }
  std::string digits = fmt::format("{}", static_cast<float>(value));  // the shortest that is exact
  if (digits.find('.') == std::string::npos) {
    const std::size_t exponent = digits.find('e');
    digits.insert(exponent == std::string::npos ? digits.size() : exponent, ".0");
  }
  return digits;
}

void print_values(const Literal& literal, std::size_t dimension, std::size_t& next,
                  std::string& text) {
  if (dimension == literal.type.shape.size()) {
    text += print_number(literal.type.element, literal.values[next++]);
    return;
  }
  text += '[';
  for (std::int64_t i = 0; i < literal.type.shape[dimension]; ++i) {
    if (i > 0) text += ", ";
    print_values(literal, dimension + 1, next, text);
  }
  text += ']';
}

std::string print_pairs(const Integers& numbers) {
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    pairs.push_back(fmt::format("[{}, {}]", numbers[i], numbers[i + 1]));
  }
  return fmt::format("dense<[{}]> : tensor<{}x2xi64>", fmt::join(pairs, ", "), pairs.size());
}

std::string print_group(const Integers& numbers) {
  return fmt::format("dense<[[{}]]> : tensor<1x{}xi64>", fmt::join(numbers, ", "), numbers.size());
}

std::string print_dimensions(std::string_view kind, const Dimensions& dimensions) {
  std::vector<std::string> lists;
  for (const auto& [name, numbers] : dimensions.lists) {
    if (numbers.empty()) continue;
    lists.push_back(name == "index_vector_dim" ? fmt::format("{} = {}", name, numbers[0])
                                               : fmt::format("{} = {}", name, to_string(numbers)));
  }
  return fmt::format("#stablehlo.{}<{}>", kind, fmt::join(lists, ", "));
}

std::string print_attribute(const AttributeSpec& spec, const Attribute& attribute) {
  switch (spec.form) {
    case Form::kInteger:
      return fmt::format("{} : i64", std::get<std::int64_t>(attribute));
    case Form::kIntegers: {
      const auto& numbers = std::get<Integers>(attribute);
      return numbers.empty() ? "array<i64>"
                             : fmt::format("array<i64: {}>", fmt::join(numbers, ", "));
    }
    case Form::kPairs:
      return spec.kind == "group" ? print_group(std::get<Integers>(attribute))
                                  : print_pairs(std::get<Integers>(attribute));
    case Form::kKeyword:
      return fmt::format("#stablehlo<{} {}>", spec.kind, std::get<std::string>(attribute));
    case Form::kDimensions:
      return print_dimensions(spec.kind, std::get<Dimensions>(attribute));
    case Form::kConvolution:
      return fmt::format("#stablehlo.conv<{}>", std::get<std::string>(attribute));
    case Form::kLiteral:
      return print_literal(std::get<Literal>(attribute));
    case Form::kType:
    case Form::kRegion:
      break;
  }
  return {};
}

// A region of one operation on two scalars: "add", or "compare GE"; "set" returns the second.
std::string print_region(std::string_view body, Element element) {
  const std::string scalar = to_string(Type{element, {}});
  if (body == "set") {
    return fmt::format("{{ ^bb0(%.a: {0}, %.b: {0}): \"stablehlo.return\"(%.b) : ({0}) -> () }}",
                       scalar);
  }
  const std::size_t space = body.find(' ');
  const bool compares = space != std::string_view::npos;
  const std::string properties =
      compares ? fmt::format(" <{{comparison_direction = #stablehlo<comparison_direction {}>}}>",
                             body.substr(space + 1))
               : "";
  const std::string result = compares ? to_string(Type{Element::kPred, {}}) : scalar;
  return fmt::format(
      "{{ ^bb0(%.a: {0}, %.b: {0}): %.r = \"stablehlo.{1}\"(%.a, %.b){2} : ({0}, {0}) -> {3} "
      "\"stablehlo.return\"(%.r) : ({3}) -> () }}",
      scalar, body.substr(0, space), properties, result);
}

}  // namespace

std::string print_literal(const Literal& literal) {
  std::string values;
  std::size_t next = 0;
  if (literal.is_splat()) {
    values = print_number(literal.type.element, literal.values[0]);
  } else if (!literal.values.empty()) {
    print_values(literal, 0, next, values);
  }
  return fmt::format("dense<{}> : {}", values, to_string(literal.type));
}

Printer::Printer(const Graph& graph) : graph_(graph), names_(graph.value_count()) { name_values(); }

std::string Printer::module_text() const {
  std::string text = "module {\n  func.func public @main(";
  std::string between;
  for (const Input& input : graph_.inputs()) {
    const std::string alias =
        input.updated_by < 0 ? ""
                             : fmt::format(" {{tf.aliasing_output = {} : i32}}", input.updated_by);
    text += fmt::format("{}{}: {}{}", between, name(input.value),
                        to_string(graph_.type(input.value)), alias);
    between = ",\n      ";
  }
  std::vector<std::string> results, names, types;
  for (const Output& output : graph_.outputs()) {
    types.push_back(to_string(graph_.type(output.value)));
    names.push_back(name(output.value));
    results.push_back(fmt::format("{} {{jax.result_info = \"{}\"}}", types.back(), output.name));
  }
  text += fmt::format(") -> ({}) {{\n", fmt::join(results, ",\n      "));
  for (const Operation& operation : graph_.operations()) text += line(operation);
  text += names.empty()
              ? "    return\n"
              : fmt::format("    return {} : {}\n", fmt::join(names, ", "), fmt::join(types, ", "));
  return text + "  }\n}\n";
}

void Printer::name_values() {
  for (const Input& input : graph_.inputs()) rename(input.value, "%" + input.name);
  int next = 0;
  for (const Operation& operation : graph_.operations()) {
    for (std::size_t i = 0; i < operation.results.size(); ++i) {
      rename(operation.results[i], operation.results.size() == 1 ? fmt::format("%{}", next)
                                                                 : fmt::format("%{}#{}", next, i));
    }
    ++next;
  }
}

std::string Printer::group_of(const Operation& operation) const {
  const std::string& first = name(operation.results[0]);
  return first.substr(0, first.find('#'));
}

Printer::Words Printer::words_of(const Operation& operation) const {
  Words words{.result = group_of(operation),
              .name = fmt::format("{}.{}", operation.kind->dialect, operation.kind->name)};
  for (const int value : operation.operands) words.operands.push_back(name(value));
  for (std::size_t i = 0; i < operation.attributes.size(); ++i) {
    const AttributeSpec& spec = operation.kind->attributes[i];
    if (spec.form == Form::kRegion || spec.form == Form::kType) continue;
    words.properties.push_back(
        fmt::format("{} = {}", spec.name, print_attribute(spec, operation.attributes[i])));
  }
  return words;
}

std::string Printer::line(const Operation& operation) const {
  return line(operation, words_of(operation));
}

std::string Printer::line(const Operation& operation, const Words& words) const {
  std::vector<std::string> operand_types, result_types, regions;
  for (const int value : operation.operands) operand_types.push_back(to_string(graph_.type(value)));
  for (const int value : operation.results) result_types.push_back(to_string(graph_.type(value)));
  for (std::size_t i = 0; i < operation.attributes.size(); ++i) {
    if (operation.kind->attributes[i].form != Form::kRegion) continue;
    regions.push_back(print_region(std::get<std::string>(operation.attributes[i]),
                                   graph_.type(operation.operands[0]).element));
  }
  std::string text = "    " + words.result;
  if (operation.results.size() > 1) text += fmt::format(":{}", operation.results.size());
  text += fmt::format(" = \"{}\"({})", words.name, fmt::join(words.operands, ", "));
  if (!words.properties.empty())
    text += fmt::format(" <{{{}}}>", fmt::join(words.properties, ", "));
  if (!regions.empty()) text += fmt::format(" ({})", fmt::join(regions, ", "));
  if (operation.detached) text += " {detached}";
  text += fmt::format(" : ({}) -> ", fmt::join(operand_types, ", "));
  text += result_types.size() == 1 ? result_types[0]
                                   : fmt::format("({})", fmt::join(result_types, ", "));
  if (!operation.scope.empty()) text += fmt::format(" loc(\"{}\")", operation.scope);
  return text + "\n";
}

std::string print(const Graph& graph) {
  const std::string text = Printer(graph).module_text();
  return fmt::format("{}{}{}\n", text, kChecksumMark, text_checksum(text));
}

}  // namespace systole::graph
