#pragma once

#include <vector>

#include "hls/compiler/ir/lowered_kernel.h"

namespace llvm {
class Function;
class Instruction;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// The functions behind Pipeline<&f, n>::call() in the program: they stay calls of a kernel.
std::vector<llvm::Function*> unit_functions(llvm::Module& program);

/// Replaces calls of Pipeline<&f, n>::call() by operations; fills in kernel.units.
///
/// before  call @Pipeline::call_to(ptr %r, ptr %a, ptr %b)     after  %1 = hls.unit(0, 5, 1, %x,
/// %y)
///                                                                    store i32 %1, ptr %r
///
/// Errors   Refusal for an enum among the arguments or in the result
void lower_unit_calls(LoweredKernel& kernel);

/// Turns divisions by variables, and by constants that LLVM leaves, into calls of units with the
/// bits that the operands can have; a quotient and a remainder of the same operands share a call.
///
/// before  %q = sdiv i32 %a, %b      after  %1 = hls.unit(1, 0, 1, %size_a, %size_b)
///         %r = srem i32 %a, %b             %q = select %signs_differ, -%1[quotient], %1[quotient]
void lower_divisions(LoweredKernel& kernel);

/// Clocks from the operation's start until its result is there: 1 of a memory's read, 0 of logic.
int latency_of(const llvm::Instruction& operation);

}  // namespace systole::compiler
