#pragma once

#include <string_view>
#include <vector>

#include "host/graph/graph.h"
#include "host/graph/text.h"

namespace systole::graph {

/// How many products of bf16 numbers a text asks for in place of one product of fp32 numbers: 1 for
/// DEFAULT, 3 for HIGH, 6 for HIGHEST; the largest where operands differ.
///
/// Errors   GraphError for other words
int asked_by_precision(std::string_view value);

/// The same of `algorithm = <lhs_precision_type = bf16, ...>`: 1, 3, 6 or 9; 6 for f32.
///
/// Errors   GraphError for arithmetic that no device has
int asked_by_algorithm(std::string_view value);

/// A dot_general or convolution as a text asks for it, on a device that multiplies as `products`
/// says. Operands of bf16 become f32, which is exact; dimensions of a dot_general move to where
/// matrices have them, those of a convolution to where a device's images have them.
///
/// Numbers  an fp32 operand is the sum of three bf16: itself rounded, what that leaves rounded, and
///          the rest, exactly from 2^-102 to bf16's largest. Of each |a||b|, three products leave
///          out at most 3 * 2^-16, six 2^-23 + 2^-32, nine nothing; sums are rounded besides. A sum
///          of small products that is NaN counts as 0, so that infinities stay infinities
/// Errors   GraphError where the device cannot do it
Value asked_product(const Operation& operation, std::vector<Value> operands, int asked,
                    Element result, Products products);

}  // namespace systole::graph
