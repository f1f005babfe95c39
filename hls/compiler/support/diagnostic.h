#pragma once

#include <stdexcept>
#include <string>

namespace llvm {
class DebugLoc;
class Instruction;
}  // namespace llvm

namespace systole::compiler {

/// A construct outside the language, or an input that cannot be read: "file:line:column: what; what
/// to write instead". The one exception that the compiler throws for its user's mistakes.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "file.h:12:5", the innermost source position of the instruction; "" where it has none.
std::string source_position(const llvm::Instruction& instruction);

/// Throws a Refusal at the instruction's position.
[[noreturn]] void refuse(const llvm::Instruction& instruction, const std::string& message);

}  // namespace systole::compiler
