#pragma once

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

/// Combines two values as a body of reduce does: add, maximum, minimum of f32.
vector::VectorOperation combining_operation(const graph::Call& reduce);
float neutral_of(vector::VectorOperation operation);

}  // namespace systole::lowering
