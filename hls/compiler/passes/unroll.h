#pragma once

namespace llvm {
class Function;
class Loop;
class ScalarEvolution;
}  // namespace llvm

namespace systole::compiler {

struct LoweredModule;

/// Unrolls every loop of clock() or reset() that cannot stay a loop. A loop stays if it only
/// touches arrays of registers, reads ports, and carries no value from one iteration to the next.
///
/// before  loop: %i = phi [0, 1, ...]; store %x[%i]   after  store %x[0]; store %x[1]; ...
///
/// Errors   Refusal for a loop that would fill a chip (checks/unroll_limit.h)
void unroll_edge(llvm::Function& edge, const LoweredModule& module);

/// Unrolls every loop of a pure function.
void unroll_all(llvm::Function& function);

/// Unrolls a thread's loops that do not wait, and those under `#pragma unroll`, whose iterations
/// then have their own states.
void unroll_between_waits(llvm::Function& thread);

/// Marks a loop of at most a constant number of iterations for unroll_marked(). Where a `break`
/// shares its test with the bound, LLVM knows no exact number, and would unroll small loops of at
/// most eight.
void mark_for_unrolling(llvm::Loop& loop, llvm::ScalarEvolution& evolution);

/// Unrolls every marked loop.
void unroll_marked(llvm::Function& function);

}  // namespace systole::compiler
