#pragma once

#include "hls/compiler/checks/range_checks.h"
#include "hls/compiler/frontend/layout.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// A hardware value in the form of C++'s memory: an enum has as many bits as its enumerators need
/// in hardware, and those of its integer in memory. Other values are the same in both.
llvm::Value* value_in_memory(llvm::IRBuilderBase& builder, llvm::Value* value, const Leaf& leaf);

/// The other way; requires that nothing is lost.
llvm::Value* value_in_hardware(llvm::IRBuilderBase& builder, llvm::Value* value, const Leaf& leaf,
                               RangeChecks& checks);

}  // namespace systole::compiler
