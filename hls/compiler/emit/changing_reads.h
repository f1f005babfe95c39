#pragma once

#include <set>

namespace llvm {
class Instruction;
}

namespace systole::compiler {

/// An expression's reads of state that statements of the same edge change, by leaf: arrays of
/// registers and outputs of pipelines.
struct ChangingReads {
  std::set<int> arrays;
  std::set<int> pipelines;

  bool empty() const { return arrays.empty() && pipelines.empty(); }
};

/// Whether the value may be printed at each use: all are in its block, and nothing it reads changes
/// before the last.
bool holds_until_used(const llvm::Instruction& value, const ChangingReads& reads);

/// Whether the value has one user, in its block, and no array or pipeline changes before that.
bool is_used_at_once(const llvm::Instruction& value);

}  // namespace systole::compiler
