#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Moves writes of registers that keep their value under a condition into a branch, with everything
/// computed for them alone, and recursively inside the branch. A simulator then skips rare work,
/// and a reader sees when a register changes. Runs last: emission prints the branches unchanged.
///
/// before  %v = add %a, %b                          after  br %c, %then, %end
///         %s = select %c, %v, %own                        then: %v = add %a, %b
///         hls.write_register(4, 0, %s)                          hls.write_register(4, 0, %v)
///
/// Limits   values that an output, a submodule or several branches need stay outside; a single bit
///          that costs nothing to select stays a select
void guard_registers(llvm::Function& clock);

}  // namespace systole::compiler
