#pragma once

#include <map>
#include <string>

namespace llvm {
class Function;
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// What to call each value of a function: the user's variable, or for a temporary its consumer's
/// name and a role ("magnitude_sum"). Not unique.
std::map<const llvm::Value*, std::string> value_names(llvm::Function& function);

/// Whether a value deserves a signal of its own: a variable of the source, a value used twice, or
/// one of which bits are picked.
bool deserves_signal(llvm::Instruction& instruction, const std::string& variable);

}  // namespace systole::compiler
