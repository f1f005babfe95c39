#pragma once

#include <vector>

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

class RangeChecks;
struct Leaf;
struct LoweredModule;

/// Replaces the calls of Pipeline's members by operations and fills in module.pipelines. It runs
/// before lower_accesses: a loop over lanes then holds values only, and can stay a loop.
void lower_pipelines(llvm::Function& function, LoweredModule& module);

/// Narrows pipelines' enum arguments to the bits that hardware holds.
void narrow_arguments(llvm::Function& function, const std::vector<Leaf>& state,
                      RangeChecks& checks);

}  // namespace systole::compiler
