#pragma once

#include <set>

namespace llvm {
class Function;
}

namespace systole::compiler {

/// The registers (by leaf) of which clock() reads only some bits, such as a command of which other
/// engines use more fields; lint needs to be told.
std::set<int> registers_with_unread_bits(llvm::Function& clock);

}  // namespace systole::compiler
