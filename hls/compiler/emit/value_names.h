#pragma once

#include <functional>
#include <map>
#include <string>

namespace llvm {
class CallInst;
class Function;
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// What an operation that reads something is called, "" for nothing.
using OperationName = std::function<std::string(const llvm::CallInst&)>;

/// What to call each value of a function: the user's variable; for a temporary its consumer's name
/// and a role ("magnitude_sum"), or what it is ("not_busy", "opcode_is_48"). LLVM turns tests
/// round: what says the opposite of its variable is "not_" and its name. Not unique.
std::map<const llvm::Value*, std::string> value_names(llvm::Function& function,
                                                      const OperationName& operation_name = {});

/// Whether a value deserves a signal of its own: a variable of the source, a value used twice, or
/// one of which bits are picked.
bool deserves_signal(llvm::Instruction& instruction, const std::string& variable);

}  // namespace systole::compiler
