#pragma once

#include <stdexcept>
#include <string>

namespace llvm {
class DICompositeType;
class DIDerivedType;
class DISubprogram;
class Instruction;
}  // namespace llvm

namespace systole::compiler {

/// A construct outside the language, or a file that cannot be read or written: "file:line:column:
/// what; what to write instead". The compiler's only exception for its user's mistakes; any other
/// is its own fault.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "file.h:12:5", the innermost source position of the instruction, else of its function's name; ""
/// if unknown.
std::string source_position(const llvm::Instruction& instruction);

/// The same for the name of a function, member or type. Debug information has no column for them,
/// so it is looked up in the source; "file.h:12" if it is not on that line, as from a macro.
std::string source_position(const llvm::DISubprogram& function);
std::string source_position(const llvm::DIDerivedType& member);
std::string source_position(const llvm::DICompositeType& type);

/// Throws a Refusal at the instruction's position.
[[noreturn]] void refuse(const llvm::Instruction& instruction, const std::string& message);

/// A message with the source line under each position, and a caret under the column:
///
///   mac.h:12:7: 'x' is a float, which has no width in hardware; use UInt<N>, Int<N> or bool
///     float x;
///           ^
std::string with_source_lines(const std::string& message);

}  // namespace systole::compiler
