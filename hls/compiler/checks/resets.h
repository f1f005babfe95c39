#pragma once

#include <string>

namespace llvm {
class DICompositeType;
class Module;
}  // namespace llvm

namespace systole::compiler {

struct LoweredModule;

/// Refuses a submodule whose reset() its parent's never calls: in C++ it starts as its constructor
/// leaves it, in hardware nothing ever sets its registers.
///
/// Errors   Refusal at the member
void check_resets(const LoweredModule& module, const llvm::DICompositeType& type);

/// The same for arrays of submodules, which become registers of their parent: in `program`, which
/// is clang's, `reset` must come to call theirs.
void check_lanes_are_reset(const llvm::Module& program, const llvm::DICompositeType& type,
                           const std::string& reset);

}  // namespace systole::compiler
