#pragma once

#include <functional>

namespace llvm {
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// Bits [high:low] of a value.
struct BitSpan {
  unsigned high = 0;
  unsigned low = 0;

  unsigned width() const { return high - low + 1; }
};

/// The narrowest span with every bit of the value that a user reads; the whole value if none is
/// read. Considers only users for which `counts` is true.
///
/// Before   %x = sub i30 %a, %b        %y = trunc (lshr %x, 1) to i29, and no other user
/// After    bits [29:1] of %x
BitSpan read_bits(const llvm::Value& value,
                  const std::function<bool(const llvm::Instruction&)>& counts);

}  // namespace systole::compiler
