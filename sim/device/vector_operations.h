#pragma once

#include <cstddef>
#include <cstdint>

#include "host/vector/program.h"

namespace systole::vector {

/// Elements that an instruction goes through at a time: copies of a value that all elements share.
inline constexpr std::size_t kSame = 32;

/// The elements of an instruction's operand, or kSame times the one that all of them are.
struct Operand {
  const std::uint32_t* first = nullptr;
  bool is_same = false;
};

/// Computes an instruction's operation on operands that are fetched already: result[i] of a[i],
/// b[i], c[i].
///
/// Limits   result may be an operand itself, and overlaps none otherwise; x86 with AVX2 and FMA
/// Numbers  docs/numerics.md section 8, on a thread that treats subnormals as zeros
///          (graph::FlushSubnormals)
using Execute = void (*)(const Instruction& instruction, std::uint32_t* result, Operand a,
                         Operand b, Operand c, std::size_t count);

/// The same in the instruction sets that this processor has, fastest first; all give the same bits.
struct Operations {
  struct Set {
    const char* name;
    Execute execute;
  };
  Set sets[2];
  int count = 0;

  const Set* begin() const { return sets; }
  const Set* end() const { return sets + count; }
};
const Operations& operations();

}  // namespace systole::vector
