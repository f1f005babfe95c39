#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/graph/artifact/bytecode.h"
#include "host/graph/statement.h"

namespace systole::graph::artifact {

/// An operation's properties by their names.
class Properties {
 public:
  /// Errors   GraphError for another number of them than the operation has
  explicit Properties(const StatedOperation& operation);

  const Attribute* find(std::string_view name) const;  ///< null where there is none
  const Attribute& get(std::string_view name) const;   ///< Errors   GraphError
  std::int64_t integer(std::string_view name) const;
  /// Of a tensor of i64 or i1, or an array of integers.
  Integers integers(std::string_view name) const;
  std::string_view text(std::string_view name) const { return get(name).text; }

 private:
  std::string_view operation_;
  std::vector<std::pair<std::string_view, const Attribute*>> properties_;
};

/// The type of a tensor; ui64 is ui32 (counters.h).
///
/// Errors   GraphError for types that the graph lacks
Type type_of(const StatedType& type);
bool is_counter(const StatedType& type);

/// "add_v1" -> "add".
std::string_view plain_name(const StatedOperation& operation);

/// Where the user's program has an operation: "train.py:12"; empty if it is unknown.
std::string place_of(const Attribute* location);

/// An operation of StableHLO as a statement, without its operands' values.
///
/// Errors   GraphError for operations and attributes that are not supported
Statement statement_of(const StatedOperation& operation);

/// The same of an operation that another dialect names, without attributes.
Statement statement_of(const StatedOperation& operation, const OperationKind& kind);

/// The values that a reduce_precision gives, of formats that a device has.
///
/// Errors   GraphError for other formats
Value rounded(const StatedOperation& operation, Value x);

/// The name of a region's one operation, which takes the region's arguments in order and whose
/// results the region returns; else empty.
std::string_view function_of(const Region& region);

/// Whether a reduction is of one operand, by one operation that the graph reduces by.
bool is_one_function(const StatedOperation& operation);

/// Whether a reduction of two operands is JAX's argmax (GT) or argmin (LT); else empty.
std::string_view extreme_of(const StatedOperation& operation);

}  // namespace systole::graph::artifact
