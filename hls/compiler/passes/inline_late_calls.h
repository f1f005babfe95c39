#pragma once

namespace llvm {
class CallInst;
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Brings in calls whose function became known only now, through a pointer that turned out to be
/// constant. Leaves recursion and the calls that `stays` names; says whether it brought in any.
bool inline_late_calls(llvm::Function& function, bool (*stays)(const llvm::Function& callee));

/// Refuses a clock() that calls itself: inlining it would never end.
///
/// Errors   Refusal with the position of the call
void refuse_clock_in_itself(const llvm::CallInst& call);

}  // namespace systole::compiler
