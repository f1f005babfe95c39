#pragma once

#include <set>

namespace llvm {
class Function;
}

namespace systole::compiler {

/// The registers (by leaf) of which clock() reads some bits and others never: what a register holds
/// of a command that other engines take more from. A linter wants to be told.
std::set<int> registers_with_unread_bits(llvm::Function& clock);

}  // namespace systole::compiler
