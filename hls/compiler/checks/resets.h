#pragma once

#include <string>

namespace llvm {
class DICompositeType;
class Module;
}  // namespace llvm

namespace systole::compiler {

struct LoweredModule;

/// Refuses a submodule whose reset() is never called by its parent's: in C++ its constructor sets
/// its registers, in hardware nothing does.
///
/// Errors   Refusal at the member
void check_resets(const LoweredModule& module, const llvm::DICompositeType& type);

/// The same for arrays of submodules, which become registers of their parent: in `program`, clang's
/// output, `reset` must reach theirs.
void check_lanes_are_reset(const llvm::Module& program, const llvm::DICompositeType& type,
                           const std::string& reset);

}  // namespace systole::compiler
