#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Puts the registers that keep their value under a condition into a branch, with all that is
/// computed for them alone; in the branch, again. A simulator then skips what matters rarely, and a
/// reader sees when a register changes. Comes last: what follows prints the branches as they are.
///
/// before  %v = add %a, %b                          after  br %c, %then, %end
///         %s = select %c, %v, %own                        then: %v = add %a, %b
///         hls.write_register(4, 0, %s)                          hls.write_register(4, 0, %v)
///
/// Limits   what an output, a submodule or several branches need is computed as before; a single
///          bit that costs nothing to choose stays a choice
void guard_registers(llvm::Function& clock);

}  // namespace systole::compiler
