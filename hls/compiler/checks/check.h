#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

struct LoweredModule;
struct LoweredThread;
struct Suspensions;

/// Refuses constructs without hardware, or that LLVM may assume never to happen, while the function
/// is still as written: floating point, volatile and atomic accesses, assembly.
void check_language(llvm::Function& function);

/// Refuses a function that may end without returning its value, which C++ leaves undefined.
void check_ends(const llvm::Function& function);

/// Refuses a loop without an end.
void check_loops(llvm::Function& function);

/// Refuses a value that was never set: LLVM's choice would surprise the user.
void check_values(const llvm::Function& function);

/// Refuses an address used as a value: no remaining access needs one.
void check_addresses(const llvm::Function& function);

/// Refuses a thread without a wait.
void check_waits(const Suspensions& suspensions, const llvm::Function& thread);

/// Refuses a thread that reads before its first wait: that part runs at reset and may only set
/// registers to constants.
void check_reset(const LoweredThread& thread);

/// Checks a lowered module as a whole: every output has a value, every submodule and every lane of
/// a pipeline is clocked exactly once per clock, a pipeline's output is read before it is clocked,
/// and reset() sets values without reading any.
///
/// Errors   Refusal with the position of what breaks the rule
void check_module(const LoweredModule& module);

}  // namespace systole::compiler
