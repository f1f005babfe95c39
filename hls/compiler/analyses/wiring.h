#pragma once

#include <llvm/ADT/APInt.h>

namespace llvm {
class DataLayout;
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// Bits of an integer; 0 for anything else.
unsigned width_of(const llvm::Value& value);

/// Only wires: extensions, truncations, constant shifts, masks and concatenations.
bool is_wiring(const llvm::Instruction& instruction);

/// A shift by a constant, and by how much.
bool constant_shift(const llvm::Instruction& instruction, unsigned& amount);

/// A constant that is one run of ones, [high:low].
bool is_mask(const llvm::Value& value, unsigned& high, unsigned& low);

/// An `or` whose sides never share a one bit: a concatenation.
bool is_disjoint_or(const llvm::Instruction& instruction);

/// The bits of the value that may be one, through any number of wires. LLVM's analysis stops after
/// six steps, too few for a word of flags.
llvm::APInt possible_ones(const llvm::Value& value, const llvm::DataLayout& layout);

/// A shift with a guard, since C++ leaves a shift by the width or more undefined:
/// `amount < width ? x >> amount : 0`, or with <<, or ~(x << amount) : -1. SystemVerilog needs no
/// guard.
struct GuardedShift {
  enum class Kind { kRight, kLeft, kNotLeft };
  Kind kind = Kind::kRight;
  const llvm::Instruction* shift = nullptr;
  const llvm::Value* value = nullptr;
  const llvm::Value* amount = nullptr;
};
bool is_guarded_shift(const llvm::Instruction& instruction, GuardedShift& found);

}  // namespace systole::compiler
