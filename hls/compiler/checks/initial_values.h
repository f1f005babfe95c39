#pragma once

#include <string>

namespace llvm {
class DICompositeType;
class Module;
}  // namespace llvm

namespace systole::compiler {

struct LoweredModule;

/// The mangled name of the type's default constructor; "" if it does nothing.
std::string constructor_of(const llvm::Module& program, const llvm::DICompositeType& type);

/// Refuses `UInt<8> q_ = 5;` if nothing resets q_: it is 5 in C++ and unknown in hardware. Changes
/// `program`, which holds the constructor.
///
/// Errors   Refusal at the member
void check_initial_values(llvm::Module& program, const std::string& constructor,
                          const LoweredModule& module);

}  // namespace systole::compiler
