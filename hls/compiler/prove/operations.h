#pragma once

#include <string>
#include <vector>

#include "hls/compiler/prove/memory.h"

namespace llvm {
class Instruction;
class IntrinsicInst;
}  // namespace llvm

namespace systole::compiler {

/// One integer instruction's result, and when it is undefined.
struct OperationResult {
  Bits bits = {};
  Signal undefined = kFalse;
  std::string what = {};     ///< why it is undefined, "a shift by the width or more"
  Signal overflow = kFalse;  ///< the second member of llvm.*.with.overflow
  bool has_overflow = false;
};

/// An arithmetic, bitwise, shift, comparison or conversion instruction on integers.
///
/// Errors   Refusal for another instruction
OperationResult integer_operation(const llvm::Instruction& instruction,
                                  const std::vector<Bits>& operands, Circuit& circuit);

/// A call of an integer intrinsic: llvm.umin, llvm.ctpop, llvm.fshl, ...
///
/// Errors   Refusal for another intrinsic
OperationResult integer_intrinsic(const llvm::IntrinsicInst& call,
                                  const std::vector<Bits>& operands, Circuit& circuit);

}  // namespace systole::compiler
