#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "host/graph/graph.h"
#include "host/graph/operation.h"
#include "host/vector/program.h"

namespace systole::lowering {

/// Writes an elementwise operation of the graph on words of elements. Predicates are all ones or
/// zero in a lane.
///
/// Numbers  docs/numerics.md section 8: one rounding an instruction; special functions as in
///          docs/vector.md, a quotient as a product with the divisor's reciprocal
/// Errors   GraphError for an operation that the vector engine does not have, with its layer and
///          its types
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
/// Numbers  integers are added modulo 2^32
/// Errors   GraphError for a body that the vector engine does not have: products
class Combining {
 public:
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
  /// That does it in one instruction; nothing for extremes of integers.
  std::optional<vector::VectorOperation> operation() const;

  Body body_;
  graph::Element element_;
};

}  // namespace systole::lowering
