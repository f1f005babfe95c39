#pragma once

#include "host/vector/program.h"

namespace systole::vector {

// Special functions as micro-programs. Each takes a value and returns that of the function.
//
// Numbers  subnormal arguments are zeros, results below 2^-126 are 0, NaN gives NaN; the error of
//          each over all 2^32 arguments is in docs/vector.md, measured by vector_sweep: at most 2
//          ulp from the correctly rounded result, but for three arguments of logistic (3 ulp)
Value exponential(Assembler& program, Value x);
Value logarithm(Assembler& program, Value x);  ///< -infinity for zeros, NaN below
Value hyperbolic_tangent(Assembler& program, Value x);
Value logistic(Assembler& program, Value x);
Value error_function(Assembler& program, Value x);
Value sine(Assembler& program, Value x);                    ///< NaN for infinities
Value cosine(Assembler& program, Value x);                  ///< likewise
Value reciprocal(Assembler& program, Value x);              ///< infinity of its sign for a zero
Value square_root(Assembler& program, Value x);             ///< -0 for -0, NaN below
Value reciprocal_square_root(Assembler& program, Value x);  ///< infinity of its sign for a zero

// The same without zeros, infinities and the ends of the range, in fewer instructions.
//
// Limits   1 / x for |x| in [2^-125, 2^125]
Value quick_reciprocal(Assembler& program, Value x);

/// 1 / (sqrt(x) + c), of an optimizer's step: within 2^-18 of it.
///
/// Limits   x 0 or in [2^-125, 2^126]; c at least 2^-60
Value reciprocal_of_root(Assembler& program, Value x, Value c);

}  // namespace systole::vector
