#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace llvm {
class CallInst;
class IRBuilderBase;
class Instruction;
class Type;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// The effects of a lowered clock() outside its own values. Each is a call of a declared function
/// "hls.<operation>.iN", so that LLVM's passes keep it without knowing it. The first arguments name
/// the leaf and its element.
enum class Operation {
  kReadRegister,    ///< (leaf, element) -> the value before the edge
  kWriteRegister,   ///< (leaf, element, value): the value after the edge, once per clock
  kReadPort,        ///< (leaf, element) -> an input
  kWritePort,       ///< (leaf, element, value): an output, once per clock
  kLoad,            ///< (leaf, index) -> an element of a register array, in program order
  kStore,           ///< (leaf, index, value)
  kPipelineOutput,  ///< (leaf, index) -> the value of a pipeline's last stage
  kPipelineClock,   ///< (leaf, index, moves, arguments...): bit k of moves is stage k's
  kInstanceInput,   ///< (leaf, field, element, value): a submodule's input at the edge
  kInstanceOutput,  ///< (leaf, field, element) -> a submodule's output before the edge
  kMemoryRead,      ///< (memory, address) -> a kernel's word; its data is there one clock later
  kMemoryWrite,     ///< (memory, address, value, enable)
  kStreamPop,       ///< (stream, enable) -> a kernel's element, there in the same clock
  kStreamPush,      ///< (stream, value, enable)
  kUnit,            ///< (unit, latency, occupancy, arguments...) -> a kernel's unit's result, so
                    ///< many clocks later; the next call may start `occupancy` clocks later
  kCheck,           ///< (check, value): a requirement to prove; see range_checks.h
};

/// The instruction's operation, if it is one.
bool is_operation(const llvm::Instruction& instruction, Operation operation);
bool is_operation(const llvm::Instruction& instruction, std::initializer_list<Operation> any_of);
bool is_any_operation(const llvm::Instruction& instruction);

/// The constant in argument `position`: a leaf, a field, or a constant element.
std::int64_t constant_argument(const llvm::Instruction& operation, unsigned position);

/// The leaf that an operation names first.
int leaf_of(const llvm::Instruction& operation);

/// The position of the operand that says whether a kernel's write, pop or push happens; -1 for any
/// other operation.
int enable_operand(const llvm::Instruction& operation);

/// Emits a call of the operation; `result` is the type it returns, or null for none.
llvm::CallInst* emit_operation(llvm::IRBuilderBase& builder, Operation operation,
                               llvm::Type* result, const std::vector<llvm::Value*>& arguments);

}  // namespace systole::compiler
