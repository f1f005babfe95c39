#pragma once

#include "hls/compiler/checks/range_checks.h"
#include "hls/compiler/frontend/layout.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// Converts a value from memory to hardware: an enum has the bits of its integer in C++'s memory,
/// and as many as its enumerators need in hardware. Other values are the same in both.
llvm::Value* value_in_memory(llvm::IRBuilderBase& builder, llvm::Value* value, const Leaf& leaf);

/// The other way; requires that nothing is lost.
llvm::Value* value_in_hardware(llvm::IRBuilderBase& builder, llvm::Value* value, const Leaf& leaf,
                               RangeChecks& checks);

}  // namespace systole::compiler
