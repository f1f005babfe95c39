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

/// "file.h:12:5", the user's innermost source position of the instruction, else of the name of the
/// user's function around it; "" if unknown.
std::string source_position(const llvm::Instruction& instruction);

/// The same for the name of a function, member or type. Debug information has no column for them,
/// so it is looked up in the source; "file.h:12" if it is not on that line, as from a macro.
std::string source_position(const llvm::DISubprogram& function);
std::string source_position(const llvm::DIDerivedType& member);
std::string source_position(const llvm::DICompositeType& type);

/// Throws a Refusal at the instruction's position.
[[noreturn]] void refuse(const llvm::Instruction& instruction, const std::string& message);

/// A message whose places in hlsc's own headers, or in what hlsc wrote itself, are the user's file:
/// what is left where nothing better is known.
std::string at_users_place(const std::string& message, const std::string& file);

/// A message with the source line under each position, and a caret under the column:
///
///   mac.h:12:7: 'x' is a float, which has no width in hardware; use UInt<N>, Int<N> or bool
///     float x;
///           ^
std::string with_source_lines(const std::string& message);

}  // namespace systole::compiler
