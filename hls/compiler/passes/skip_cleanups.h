#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Lets ways that leave a scope go straight to where they go. In a coroutine clang leads them all
/// through one block that ends the lives of the scope's variables, and takes them apart behind it:
/// a loop with a variable and a `break` in it would have no count. Only in loops that do not wait;
/// values are still in memory.
///
/// before  end: %to = phi [0, %next], [8, %break]; switch %to [0: %again, 8: %left]
/// after   next: br %again       break: br %left
void skip_cleanups(llvm::Function& function);

}  // namespace systole::compiler
