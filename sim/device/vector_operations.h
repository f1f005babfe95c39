#pragma once

#include <cstddef>
#include <cstdint>

#include "host/vector/program.h"

namespace systole::vector {

/// An instruction's operation on operands that are fetched already: result[i] of a[i], b[i], c[i].
///
/// Limits   result may be an operand itself, and overlaps none otherwise; x86 with AVX2 and FMA
/// Numbers  docs/numerics.md section 8, on a thread that treats subnormals as zeros
///          (graph::FlushSubnormals)
void execute(const Instruction& instruction, std::uint32_t* result, const std::uint32_t* a,
             const std::uint32_t* b, const std::uint32_t* c, std::size_t count);

}  // namespace systole::vector
