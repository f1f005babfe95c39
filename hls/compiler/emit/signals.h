#pragma once

#include <functional>
#include <string>

namespace llvm {
class Instruction;
}

namespace systole::compiler {

/// Whether a value deserves a signal of its own: a variable of the source, a value used twice, or
/// one of which bits are picked.
bool deserves_signal(llvm::Instruction& instruction);

/// Whether a value that no variable of the source holds reads better where it is used, although it
/// is used more than once: its text is short, and no signal would be named as well as it says.
bool is_brief(llvm::Instruction& instruction, const std::function<std::string()>& text);

}  // namespace systole::compiler
