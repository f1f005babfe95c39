#pragma once

namespace llvm {
class Instruction;
class Module;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// Gives each local variable of a raw C++ type (int, bool, an enum, a member or element of such a
/// type), where it is declared, a value that no pass knows. LLVM takes a variable that nobody has
/// set for whatever suits it, so that `int v; if (set) v = 1; use(v);` would become use(1). What is
/// left of these values where all passes have ended is used without having been set, and
/// check_values() refuses it.
///
///   before   #dbg_declare(ptr %v, !variable)   after   %u = call i32 @hls.unset.0.i32()
///                                                      store i32 %u, ptr %v
///
/// An array that becomes a memory instead of values drops these stores: stores_unset().
void mark_unset_variables(llvm::Module& program);

/// Whether it is the unknown value of a variable.
bool is_unset(const llvm::Value& value);

/// Whether it gives a variable, or a part of one, its unknown value.
bool stores_unset(const llvm::Instruction& instruction);

/// Refuses the variable if the instruction is its unknown value.
void refuse_unset(const llvm::Instruction& instruction);

}  // namespace systole::compiler
