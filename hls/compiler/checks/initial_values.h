#pragma once

#include <string>

namespace llvm {
class DICompositeType;
class Module;
}  // namespace llvm

namespace systole::compiler {

struct LoweredModule;

/// The mangled name of the type's default constructor, "" where nothing runs.
std::string constructor_of(const llvm::Module& program, const llvm::DICompositeType& type);

/// Refuses `UInt<8> q_ = 5;` where nothing resets q_: it is 5 in C++ and unknown in hardware.
/// `program` holds the constructor and is changed.
///
/// Errors   Refusal at the member
void check_initial_values(llvm::Module& program, const std::string& constructor,
                          const LoweredModule& module);

}  // namespace systole::compiler
