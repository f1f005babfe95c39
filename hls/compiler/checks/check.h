#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

struct LoweredModule;
struct LoweredThread;
struct Suspensions;

/// Refuses what has no hardware, or what LLVM may assume never to happen, while the function still
/// looks as it was written: floating point, volatile and atomic accesses, assembly.
void check_language(llvm::Function& function);

/// Refuses a function that may end without the value it returns, which C++ leaves undefined.
void check_ends(const llvm::Function& function);

/// Refuses a loop without an end.
void check_loops(llvm::Function& function);

/// Refuses a value that was never set: what LLVM makes of it is not what a user would expect.
void check_values(const llvm::Function& function);

/// Refuses an address as a value: no access is left that could need one.
void check_addresses(const llvm::Function& function);

/// Refuses a thread without a wait.
void check_waits(const Suspensions& suspensions, const llvm::Function& thread);

/// Refuses a thread that reads before its first wait: up to there it runs at reset and may only set
/// registers to constants.
void check_reset(const LoweredThread& thread);

/// Checks a lowered module as a whole: every output has a value, every submodule and every lane of
/// a pipeline is clocked exactly once per clock, a pipeline's output is read before it is clocked,
/// and reset() gives values without reading any.
///
/// Errors   Refusal with the position of what breaks the rule
void check_module(const LoweredModule& module);

}  // namespace systole::compiler
