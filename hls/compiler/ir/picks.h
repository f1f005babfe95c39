#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class APInt;
class CallInst;
class GlobalVariable;
class IRBuilderBase;
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// One of several values by an index: a multiplexer, or a look-up if all are constants. It has no
/// effect and is computed whether or not its index is in range; see RangeChecks.
///
/// A call `pick.NAME.(index, element 0, element 1, ...)` of a declared function; NAME is the
/// array's name in the source.
llvm::Value* emit_pick(llvm::IRBuilderBase& builder, const std::string& name, llvm::Value* index,
                       const std::vector<llvm::Value*>& elements);

/// The call, if the instruction is one.
const llvm::CallInst* as_pick(const llvm::Instruction& instruction);
/// Whether all of its elements are constants.
bool is_look_up(const llvm::CallInst& pick);
/// The array's name in the source.
std::string pick_name(const llvm::CallInst& pick);

/// The bits of a constant global at a byte, read byte by byte: clang holds a UInt<5> in eight bits.
llvm::APInt constant_at(const llvm::GlobalVariable& table, std::int64_t byte, unsigned width);

}  // namespace systole::compiler
