#pragma once

#include <vector>

#include "hls/compiler/lower/lower_module.h"

namespace llvm {
class DataLayout;
class Function;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// The leaf that the pointer into `self` falls on, whichever element it is; -1 for none.
int leaf_of_pointer(llvm::Value& pointer, const llvm::Value& self, const std::vector<Leaf>& state,
                    const llvm::DataLayout& layout);

/// Replaces the calls of Pipeline's members by operations and fills in module.pipelines.
void lower_pipelines(llvm::Function& function, LoweredModule& module);

/// Replaces every access through a pointer by the operations of operations.h, registers that are
/// only addressed by constants by values, and fills in module.instances.
void lower_accesses(llvm::Function& function, LoweredModule& module);

/// The same for a pure function's arguments and result.
void lower_function_accesses(llvm::Function& function, const LoweredFunction& lowered);

}  // namespace systole::compiler
