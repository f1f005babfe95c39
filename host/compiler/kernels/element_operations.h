#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "host/graph/graph.h"
#include "host/graph/operation.h"
#include "host/vector/program.h"

namespace systole::lowering {

inline constexpr std::string_view kNoSuchOperation =
    "the device's vector engine has no such operation";

/// Whether the vector engine has an elementwise operation for these types.
bool has_element_operation(const graph::Call& call);

/// Writes one on words of elements. Predicates are all ones or zero in a lane.
///
/// Limits   has_element_operation(call)
/// Numbers  docs/numerics.md section 8: one rounding an instruction; special functions as in
///          docs/vector.md, a quotient as a product with the divisor's reciprocal
vector::Value write_element_operation(vector::Assembler& program, const graph::Call& call,
                                      std::span<const vector::Value> operands);

/// Whether that is a single instruction, so that an operand can come from a stream.
bool is_one_instruction(const graph::Call& call);

/// Whether that is a conversion of f32 to i32 or i8.
bool converts_to_integer(const graph::Call& call);
/// floor as an int32: one instruction.
vector::Value integer_below(vector::Assembler& program, vector::Value x);

bool is_elementwise(const graph::OperationKind& kind);

/// Whether an operation multiplies matrices or convolves images.
bool makes_product(const graph::Operation& operation);

/// Whether it adds up a tensor over all dimensions but the last.
bool sums_columns(const graph::Graph& graph, const graph::Operation& operation);

/// How a reduction combines two values: by its body, in its element.
///
/// Limits   is_there(reduce)
/// Numbers  integers are added modulo 2^32
class Combining {
 public:
  /// Whether the vector engine has the body, for these elements; it has no products.
  static bool is_there(const graph::Call& reduce);
  explicit Combining(const graph::Call& reduce);

  /// The bits of what changes no result.
  std::uint32_t neutral() const;
  vector::Value both(vector::Assembler& program, vector::Value a, vector::Value b) const;
  /// `value` combined with that of lane n ^ 2^k, in every lane n.
  vector::Value with_lane(vector::Assembler& program, vector::Value value, int k) const;
  /// Likewise of slot s ^ 2^k. The result may not be sent or kept by the instruction that makes it.
  vector::Value with_slot(vector::Assembler& program, vector::Value value, int k) const;

 private:
  enum class Body : std::uint8_t { kAdd, kMaximum, kMinimum, kAnd, kOr };
  static const std::map<std::string_view, Body>& bodies();
  /// That does it in one instruction; nothing for extremes of integers.
  std::optional<vector::VectorOperation> operation() const;

  Body body_;
  graph::Element element_;
};

}  // namespace systole::lowering
