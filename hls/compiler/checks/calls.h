#pragma once

namespace llvm {
class CallInst;
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Refuses any remaining call: recursion, a virtual function, allocation.
///
/// Errors   Refusal with the position of the call
void check_calls(const llvm::Function& root);

/// Refuses a clock() that calls itself, since inlining would not terminate.
///
/// Errors   Refusal with the position of the call
void refuse_clock_in_itself(const llvm::CallInst& call);

}  // namespace systole::compiler
