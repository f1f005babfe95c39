#pragma once

#include "hls/compiler/checks/range_checks.h"
#include "hls/compiler/frontend/layout.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// An enum has as many bits as its enumerators need in hardware, and the bits of its integer in
/// C++'s memory. Every other value is the same in both.
llvm::Value* value_in_memory(llvm::IRBuilderBase& builder, llvm::Value* value, const Leaf& leaf);

/// The other way; requires that nothing is lost.
llvm::Value* value_in_hardware(llvm::IRBuilderBase& builder, llvm::Value* value, const Leaf& leaf,
                               RangeChecks& checks);

}  // namespace systole::compiler
