#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Reads a word once where nothing writes its memory in between: two parameters are never the same
/// memory, which C++ does not promise.
///
/// before  %x = hls.memory_read(0, %i)          after  %x = hls.memory_read(0, %i)
///         hls.memory_write(1, %i, %y)                 hls.memory_write(1, %i, %y)
///         %z = hls.memory_read(0, %i)                 (%x itself)
void merge_reads(llvm::Function& function);

}  // namespace systole::compiler
