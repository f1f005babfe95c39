#pragma once

namespace llvm {
class Loop;
class ScalarEvolution;
}  // namespace llvm

namespace systole::compiler {

/// Refuses to unroll a loop that would need more hardware, and more compile time and memory, than
/// anyone intends.
///
/// Limits   a million instructions in all iterations
/// Errors   Refusal with the position of the loop
void check_unroll_limit(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

}  // namespace systole::compiler
