#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Removes the clearing of a local array that a loop fills whole before anything reads it.
///
/// before  loop: hls.memory_write(2, %i, 0)    after  next: hls.memory_write(2, %j, %value)
///         next: hls.memory_write(2, %j, %value)
void drop_dead_clears(llvm::Function& function);

}  // namespace systole::compiler
