#include "host/graph/artifact/statements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>

#include "host/graph/artifact/cursor.h"
#include "host/graph/asked_product.h"
#include "host/graph/ops.h"
#include "host/graph/read_attribute.h"

namespace systole::graph::artifact {
namespace {

using Kind = Attribute::Kind;

std::string_view word_of(const Attribute& attribute) {
  static const std::map<std::string_view, std::vector<std::string_view>> kWords = {
      {"comparison_direction", {"EQ", "NE", "GE", "GT", "LE", "LT"}},
      {"comparison_type", {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
      {"precision", {"DEFAULT", "HIGH", "HIGHEST"}},
      {"result_accuracy", {"DEFAULT", "HIGHEST", "TOLERANCE"}},
      {"rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"}}};
  const auto words = kWords.find(attribute.text);
  if (attribute.kind != Kind::kEnum || words == kWords.end() || attribute.number < 0 ||
      attribute.number >= std::ssize(words->second)) {
    fail("an enumerator is unknown");
  }
  return words->second[static_cast<std::size_t>(attribute.number)];
}

std::size_t byte_count(std::string_view element) {
  static const std::map<std::string_view, std::size_t> kBytes = {
      {"f32", 4}, {"bf16", 2}, {"i32", 4}, {"ui32", 4}, {"i8", 1},
      {"ui8", 1}, {"i1", 1},   {"i64", 8}, {"ui64", 8}};
  const auto found = kBytes.find(element);
  if (found == kBytes.end()) throw GraphError(fmt::format("a constant of {}", element));
  return found->second;
}

// A tensor's elements, or the one that stands for all. Predicates take a byte each, or a bit.
std::vector<std::uint64_t> words_of(const Attribute& tensor, std::int64_t count) {
  const std::string& element = tensor.type->parts[0]->name;
  const std::size_t size = byte_count(element);
  const auto wanted = static_cast<std::size_t>(count);
  const std::string_view bytes = tensor.text;
  std::vector<std::uint64_t> words;
  if (element == "i1" && bytes.size() != wanted && bytes.size() != 1 &&
      bytes.size() == (wanted + 7) / 8) {
    for (std::size_t i = 0; i < wanted; ++i) {
      words.push_back(static_cast<std::uint8_t>(bytes[i / 8]) >> (i % 8) & 1U);
    }
    return words;
  }
  if (bytes.size() != wanted * size && bytes.size() != size) {
    fail("a constant has another size than its type says");
  }
  for (std::size_t i = 0; i < bytes.size(); i += size) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, size);
    words.push_back(word);
  }
  return words;
}

double value_of(std::string_view element, std::uint64_t word) {
  const auto low = static_cast<std::uint32_t>(word);
  if (element != "ui64") return graph::value_of(parse_element(element), low);
  if (word != low) {
    throw GraphError(fmt::format("a ui64 of {}: counters below 2^32 are supported", word));
  }
  return low;
}

Literal literal_of(const Attribute& attribute) {
  if (attribute.kind != Kind::kTensor) fail("a constant is no tensor");
  Literal literal{type_of(*attribute.type), {}};
  const std::string& element = attribute.type->parts[0]->name;
  for (const std::uint64_t word : words_of(attribute, element_count(literal.type.shape))) {
    literal.values.push_back(value_of(element, word));
  }
  return literal;
}

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
std::string convolution_dimensions(const Properties& properties) {
  const auto side = [&](std::string_view who, std::array<std::string_view, 2> names,
                        std::array<std::string_view, 2> letters) {
    const Integers spatial = properties.integers(fmt::format("{}_spatial_dimensions", who));
    std::vector<std::string> places(spatial.size() + 2);
    const auto put = [&](std::int64_t at, std::string what) {
      if (at < 0 || at >= std::ssize(places)) fail("a convolution's dimension does not exist");
      places[static_cast<std::size_t>(at)] = std::move(what);
    };
    for (std::size_t i = 0; i < 2; ++i) {
      put(properties.integer(fmt::format("{}_{}_dimension", who, names[i])),
          std::string(letters[i]));
    }
    for (std::size_t i = 0; i < spatial.size(); ++i) put(spatial[i], fmt::format("{}", i));
    return fmt::format("[{}]", fmt::join(places, ", "));
  };
  return fmt::format("{}x{}->{}", side("input", {"batch", "feature"}, {"b", "f"}),
                     side("kernel", {"input_feature", "output_feature"}, {"i", "o"}),
                     side("output", {"batch", "feature"}, {"b", "f"}));
}

Dimensions dimensions_of(std::string_view kind, const Properties& properties) {
  static const std::map<std::string_view, std::vector<std::string_view>> kLists = {
      {"dot",
       {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
        "rhs_contracting_dimensions"}},
      {"gather",
       {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
        "start_indices_batching_dims", "start_index_map", "index_vector_dim"}},
      {"scatter",
       {"update_window_dims", "inserted_window_dims", "input_batching_dims",
        "scatter_indices_batching_dims", "scatter_dims_to_operand_dims", "index_vector_dim"}}};
  Dimensions dimensions;
  for (const std::string_view name : kLists.at(kind)) {
    const Attribute* found = properties.find(name);
    if (found == nullptr) continue;
    dimensions.lists.emplace_back(
        name, found->kind == Kind::kInteger ? Integers{found->number} : properties.integers(name));
  }
  return dimensions;
}

// A region with one operation of its two arguments, in order: "add", or "compare GE"; "set" returns
// the second.
std::string body_of(const Region& region) {
  const std::string_view name = function_of(region);
  const bool takes_two = region.size() == 1 && region[0].arguments.size() == 2;
  if (takes_two && region[0].operations.size() == 1 &&
      plain_name(region[0].operations[0]) == "return" &&
      region[0].operations[0].operands == std::vector{region[0].arguments[1]}) {
    return "set";
  }
  if (!takes_two || name.empty()) {
    throw GraphError("a region has one operation, which takes the region's two arguments in order");
  }
  if (name != "compare") return std::string(find_kind(name).name);
  const Properties properties(region[0].operations[0]);
  return fmt::format("{} {}", name, word_of(properties.get("comparison_direction")));
}

// What is asked of the arithmetic: done, or refused.
void take_requests(const Properties& properties, Statement& statement) {
  if (const Attribute* precision = properties.find("precision_config")) {
    for (const auto& entry : precision->entries) {
      statement.asked = std::max(statement.asked, asked_by_precision(word_of(*entry.second)));
    }
  }
  const Attribute* left = properties.find("lhs_precision_type");
  if (left != nullptr && left->type != nullptr && left->type->name != "none") {
    const auto type = [&](std::string_view name) {
      const Attribute& stated = properties.get(name);
      return stated.type == nullptr ? std::string() : stated.type->name;
    };
    statement.asked = std::max(
        statement.asked,
        asked_by_algorithm(fmt::format(
            "<lhs_precision_type = {}, rhs_precision_type = {}, accumulation_type = {}, "
            "lhs_component_count = {}, rhs_component_count = {}, num_primitive_operations = {}>",
            type("lhs_precision_type"), type("rhs_precision_type"), type("accumulation_type"),
            properties.integer("lhs_component_count"), properties.integer("rhs_component_count"),
            properties.integer("num_primitive_operations"))));
  }
  const Attribute* compares = properties.find("compare_type");
  statement.total_order = compares != nullptr && word_of(*compares) == "TOTALORDER";
  const Attribute* accuracy = properties.find("result_accuracy");
  if (accuracy != nullptr && word_of(*accuracy) == "TOLERANCE") {
    throw GraphError(fmt::format("{}: a tolerance is not supported: functions are within 2.5 ulp",
                                 statement.kind->name));
  }
  if (properties.find("window_reversal") != nullptr &&
      std::ranges::count(properties.integers("window_reversal"), 0) !=
          std::ssize(properties.integers("window_reversal"))) {
    throw GraphError("convolution: window_reversal is not supported: use reverse");
  }
}

std::vector<graph::Attribute> attributes_of(const StatedOperation& operation,
                                            const Properties& properties,
                                            const Statement& statement) {
  std::size_t regions = 0;
  const auto make = [&](const AttributeSpec& spec) -> graph::Attribute {
    switch (spec.form) {
      case Form::kInteger:
        return properties.integer(spec.name);
      case Form::kIntegers:
      case Form::kPairs:
        return properties.integers(spec.name);
      case Form::kKeyword:
        return std::string(word_of(properties.get(spec.name)));
      case Form::kDimensions:
        return dimensions_of(spec.kind, properties);
      case Form::kConvolution:
        return convolution_dimensions(properties);
      case Form::kLiteral:
        return literal_of(properties.get(spec.name));
      case Form::kType:
        if (statement.result_types.empty()) fail("an operation has no result");
        return statement.result_types.back();
      case Form::kRegion:
        if (regions >= operation.regions.size()) fail("a region is missing");
        return body_of(operation.regions[regions++]);
    }
    return {};
  };
  std::vector<graph::Attribute> attributes;
  std::ranges::transform(statement.kind->attributes, std::back_inserter(attributes), make);
  return attributes;
}

// The innermost line, of installed packages only if `any`.
const Attribute* find_place(const Attribute* location, bool any) {
  if (location == nullptr) return nullptr;
  if (location->kind == Kind::kPlace) {
    const bool is_installed = location->text.find("/site-packages/") != std::string_view::npos;
    return any || !is_installed ? location : nullptr;
  }
  if (location->kind != Kind::kArray) return nullptr;
  for (const auto& entry : location->entries) {
    const Attribute* found = find_place(entry.second, any);
    if (found != nullptr) return found;
  }
  return nullptr;
}

const OperationKind& kind_of(const StatedOperation& operation) {
  const std::string_view name = plain_name(operation);
  try {
    if (operation.dialect == "vhlo") return find_kind(name);
  } catch (const GraphError&) {
  }
  throw GraphError(fmt::format(
      "{}.{} is not supported: compute it on JAX's CPU, by jax.default_device (docs/pjrt.md)",
      operation.dialect == "vhlo" ? "stablehlo" : operation.dialect, name));
}

}  // namespace

Properties::Properties(const StatedOperation& operation) : operation_(operation.name) {
  const std::vector<std::string_view> names = property_names(operation.name);
  if (names.size() != operation.properties.size()) {
    throw GraphError(fmt::format("{} has {} properties, not {}", operation.name,
                                 operation.properties.size(), names.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    properties_.emplace_back(names[i], operation.properties[i]);
  }
}

const Attribute* Properties::find(std::string_view name) const {
  const auto found =
      std::ranges::find(properties_, name, [](const auto& one) { return one.first; });
  return found == properties_.end() ? nullptr : found->second;
}

const Attribute& Properties::get(std::string_view name) const {
  const Attribute* found = find(name);
  if (found == nullptr) throw GraphError(fmt::format("{} lacks {}", operation_, name));
  return *found;
}

std::int64_t Properties::integer(std::string_view name) const {
  const Attribute& attribute = get(name);
  if (attribute.kind != Kind::kInteger) fail(fmt::format("{} is no integer", name));
  return attribute.number;
}

Integers Properties::integers(std::string_view name) const {
  constexpr std::int64_t kMost = 1024;
  const Attribute& attribute = get(name);
  Integers numbers;
  if (attribute.kind == Kind::kArray) {
    for (const auto& entry : attribute.entries) numbers.push_back(entry.second->number);
    return numbers;
  }
  if (attribute.kind != Kind::kTensor || attribute.type == nullptr ||
      attribute.type->parts.empty()) {
    fail(fmt::format("{} is no list", name));
  }
  const StatedType& type = *attribute.type;
  const std::string& element = type.parts[0]->name;
  if (!is_countable(type.shape) || element_count(type.shape) > kMost ||
      (element != "i64" && element != "i1")) {
    fail(fmt::format("{} is no list of i64", name));
  }
  const std::int64_t count = element_count(type.shape);
  for (const std::uint64_t word : words_of(attribute, count)) {
    numbers.push_back(static_cast<std::int64_t>(word));
  }
  if (std::ssize(numbers) != count) {
    const std::int64_t all = numbers.at(0);
    numbers.assign(static_cast<std::size_t>(count), all);
  }
  return numbers;
}

bool is_counter(const StatedType& type) {
  return type.name == "tensor" && !type.parts.empty() && type.parts[0]->name == "ui64";
}

Type type_of(const StatedType& type) {
  if (type.name != "tensor" || type.parts.empty()) {
    throw GraphError(fmt::format("a {} is not supported: values are tensors", type.name));
  }
  if (!is_countable(type.shape)) {
    throw GraphError("sizes that are not known, or too large, are not supported");
  }
  const std::string& name = type.parts[0]->name;
  if (name == "ui64") return {Element::kU32, type.shape};
  try {
    return {parse_element(name), type.shape};
  } catch (const std::invalid_argument&) {
    throw GraphError(
        fmt::format("{} is not supported: a device has f32, bf16, i32, ui32, i8, ui8 and i1 "
                    "(float32, bfloat16, "
                    "int32, uint32, int8, uint8 and bool)",
                    name));
  }
}

std::string_view plain_name(const StatedOperation& operation) {
  return operation.name.substr(0, operation.name.rfind("_v"));
}

std::string place_of(const Attribute* location) {
  const Attribute* place = find_place(location, false);
  if (place == nullptr) place = find_place(location, true);
  if (place == nullptr) return {};
  return fmt::format("{}:{}", place->text.substr(place->text.rfind('/') + 1), place->number);
}

Statement statement_of(const StatedOperation& operation, const OperationKind& kind) {
  Statement statement{.kind = &kind};
  for (const StatedType* type : operation.types) statement.result_types.push_back(type_of(*type));
  return statement;
}

Statement statement_of(const StatedOperation& operation) {
  // A type that no device has is refused before the operation that makes it.
  for (const StatedType* type : operation.types) type_of(*type);
  Statement statement = statement_of(operation, kind_of(operation));
  const Properties properties(operation);
  statement.attributes = attributes_of(operation, properties, statement);
  take_requests(properties, statement);
  return statement;
}

Value rounded(const StatedOperation& operation, Value x) {
  const Properties properties(operation);
  const std::int64_t exponent = properties.integer("exponent_bits");
  const std::int64_t mantissa = properties.integer("mantissa_bits");
  const Element element = x.type().element;
  if (is_float(element) && exponent == 8) {
    if (mantissa >= 23 || (mantissa >= 7 && element == Element::kBf16)) return x;
    if (mantissa == 7) return convert(convert(x, Element::kBf16), element);
  }
  throw GraphError(
      fmt::format("reduce_precision of {} to {} bits of exponent and {} of mantissa is not "
                  "supported: 8 and 7 are bf16's, 8 and 23 f32's",
                  to_string(element), exponent, mantissa));
}

std::string_view function_of(const Region& region) {
  if (region.size() != 1 || region[0].operations.size() != 2) return {};
  const StatedOperation &function = region[0].operations[0], &end = region[0].operations[1];
  if (function.operands != region[0].arguments || plain_name(end) != "return") return {};
  return end.operands == function.results ? plain_name(function) : "";
}

bool is_one_function(const StatedOperation& operation) {
  constexpr std::string_view kFunctions[] = {"add", "multiply", "maximum", "minimum", "and", "or"};
  if (operation.operands.size() != 2 || operation.regions.size() != 1) return false;
  return std::ranges::find(kFunctions, function_of(operation.regions[0])) != std::end(kFunctions);
}

std::string_view extreme_of(const StatedOperation& operation) {
  if (operation.regions.size() != 1 || operation.regions[0].size() != 1) return {};
  const Block& block = operation.regions[0][0];
  if (block.arguments.size() != 4) return {};
  std::map<int, std::size_t> places;  // x, i, y, j, then the results in their order
  for (const int argument : block.arguments) places.emplace(argument, places.size());
  std::string body;
  for (const StatedOperation& inner : block.operations) {
    const std::string_view name = plain_name(inner);
    body += name;
    if (name == "compare") {
      body += fmt::format(" {}", word_of(Properties(inner).get("comparison_direction")));
    }
    for (const int operand : inner.operands) {
      const auto found = places.find(operand);
      if (found == places.end()) return {};
      body += fmt::format(" {}", found->second);
    }
    body += "; ";
    for (const int result : inner.results) places.emplace(result, places.size());
  }
  for (const std::string_view direction : {"GT", "LT"}) {
    if (body == fmt::format("compare {} 0 2; compare NE 0 0; or 4 5; compare EQ 0 2; "
                            "compare LT 1 3; and 7 8; or 6 9; select 6 0 2; select 10 1 3; "
                            "return 11 12; ",
                            direction)) {
      return direction;
    }
  }
  return {};
}

}  // namespace systole::graph::artifact
