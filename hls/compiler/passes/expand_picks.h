#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class APInt;
class CallInst;
class Function;
class GlobalVariable;
class IRBuilderBase;
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

class RangeChecks;

/// One of several values, by an index: a multiplexer, or a look-up where all are constants. It has
/// no effect and is computed whether or not its index is in range; see RangeChecks.
///
/// A call `pick.NAME.(index, element 0, element 1, ...)` of a declared function; NAME is what the
/// source calls the array.
llvm::Value* emit_pick(llvm::IRBuilderBase& builder, const std::string& name, llvm::Value* index,
                       const std::vector<llvm::Value*>& elements);

/// The call, if the instruction is one.
const llvm::CallInst* as_pick(const llvm::Instruction& instruction);
/// Whether all of its elements are constants.
bool is_look_up(const llvm::CallInst& pick);
/// What the source calls the array.
std::string pick_name(const llvm::CallInst& pick);

/// Local arrays that a variable indexes, and constant tables, become values: a read picks one of
/// all elements, a write chooses for each element whether it is the one.
///
/// before  %p = getelementptr [4 x i8], ptr %v, i64 0, i64 %i
///         %x = load i8, ptr %p
/// after   %e0 = load i8, ptr %v ...
///         %x = call i8 @pick(%i, %e0, ...)
///
/// Errors   Refusal for an index that may leave its array (when the checks are settled), and for an
///          array of more elements than a multiplexer should have
void expand_picks(llvm::Function& function, RangeChecks& checks);

/// The bits of a constant global at a byte, read byte by byte: clang holds a UInt<5> in eight bits.
llvm::APInt constant_at(const llvm::GlobalVariable& table, std::int64_t byte, unsigned width);

/// Replaces what turned out to have a constant index.
void fold_picks(llvm::Function& function);

}  // namespace systole::compiler
