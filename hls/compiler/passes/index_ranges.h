#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

struct LoweredModule;

/// Refuses an index into an array of registers or pipelines that cannot be proved to be in range:
/// C++ would read or write whatever is behind the array, the hardware nothing.
///
/// Errors   Refusal with the position of the access
void check_index_ranges(llvm::Function& function, const LoweredModule& module);

}  // namespace systole::compiler
