#pragma once

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/graph/type.h"

namespace systole::graph {

/// An invalid graph: shapes that do not fit, an unknown operation, malformed text.
class GraphError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A tensor with its values, row-major; a single value stands for all elements.
///
/// Numbers  double holds the values of every element type exactly; a predicate is 0 or 1
struct Literal {
  Type type;
  std::vector<double> values;

  bool operator==(const Literal&) const;  ///< by bits: NaN equals itself, -0 differs from 0
  bool is_splat() const { return values.size() == 1; }
  double at(std::int64_t i) const { return values[is_splat() ? 0 : static_cast<std::size_t>(i)]; }
};

/// A number rounded to an element type: fp32 and bf16 to nearest even, integers wrap.
double round_to(Element element, double value);

/// #stablehlo.dot<lhs_contracting_dimensions = [1], ...>: lists of dimensions by name.
struct Dimensions {
  std::vector<std::pair<std::string, Integers>> lists;

  bool operator==(const Dimensions&) const = default;
  const Integers& operator[](std::string_view name) const;  ///< empty where absent
};

using Attribute = std::variant<std::int64_t, Integers, std::string, Dimensions, Literal, Type>;

/// An attribute's text form; in brackets the alternative of Attribute that holds it.
enum class Form : std::uint8_t {
  kInteger,      ///< 1 : i64                                   [int64_t]
  kIntegers,     ///< array<i64: 1, 2>                          [Integers]
  kPairs,        ///< dense<[[0, 1]]> : tensor<1x2xi64>         [Integers, two a row]; see `kind`
  kKeyword,      ///< #stablehlo<comparison_direction LT>       [string]
  kDimensions,   ///< #stablehlo.dot<...>                       [Dimensions]
  kConvolution,  ///< #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]> [string]
  kLiteral,      ///< dense<1.0> : tensor<f32>                  [Literal]
  kType,         ///< the last result's type, if operands do not determine it; not written  [Type]
  kRegion,       ///< the operation in a region's body: add     [string]
};

struct AttributeSpec {
  std::string_view name;
  Form form = Form::kInteger;
  std::string_view kind = {};  ///< of a keyword or dimensions: "dot"; "group": pairs are one row
};

struct OperationKind;

/// An operation and its operands' types, for inference and evaluation.
struct Call {
  const OperationKind& kind;
  std::span<const Attribute> attributes;
  std::vector<Type> operands;
  std::string_view scope = {};  ///< the layer's name, for errors

  template <typename T>
  const T& get(std::string_view name) const;
  std::int64_t integer(std::string_view name) const { return get<std::int64_t>(name); }
  const Integers& integers(std::string_view name) const { return get<Integers>(name); }
  const std::string& word(std::string_view name) const { return get<std::string>(name); }

  /// "dense_1: dot_general(tensor<2x3xf32>, tensor<4x5xf32>): what is wrong"
  std::string error(std::string_view what) const;
  /// Throws that.
  template <typename... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    throw GraphError(error(fmt::format(format, std::forward<Arguments>(arguments)...)));
  }
  template <typename... Arguments>
  void need(bool holds, fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    if (!holds) fail(format, std::forward<Arguments>(arguments)...);
  }
  void need_elements(std::size_t operand, bool holds, std::string_view what) const;

 private:
  const Attribute& find(std::string_view name) const;
};

template <typename T>
const T& Call::get(std::string_view name) const {
  const T* value = std::get_if<T>(&find(name));
  if (value == nullptr) fail("attribute {} has the wrong form", name);
  return *value;
}

class Backward;

/// Applies an elementwise operation to `count` consecutive elements in 4-byte words: f32 and bf16
/// as float, integers as int32 or uint32, predicates as 0 or 1.
using Loop = void (*)(const void* const* operands, void* result, std::int64_t count);

/// An operation of StableHLO: the one description that all code about operations reads.
struct OperationKind {
  std::string_view name;
  int operands = 1;  ///< -1: one or more
  std::vector<AttributeSpec> attributes = {};
  /// The results' types; throws GraphError through Call for operands that do not fit.
  std::vector<Type> (*infer)(const Call& call) = nullptr;
  /// The oracle: plain loops in double, unrounded. One literal per result, with all its values.
  std::vector<Literal> (*evaluate)(const Call& call, std::span<const Literal> operands) = nullptr;
  /// Writes the operands' gradients; null if there is none, or the result is not a float.
  void (*gradient)(Backward& backward) = nullptr;
  /// For elementwise operations: the loop for these types.
  Loop (*loop)(const Call& call) = nullptr;
  std::string_view dialect = "stablehlo";  ///< the prefix of its name in a text
};

/// Errors   GraphError for an unknown name
const OperationKind& find_kind(std::string_view name);
std::span<const OperationKind* const> all_kinds();

}  // namespace systole::graph
