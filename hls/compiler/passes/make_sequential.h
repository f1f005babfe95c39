#pragma once

#include <llvm/ADT/StringRef.h>

namespace llvm {
class CallInst;
class Function;
class Instruction;
class Loop;
}  // namespace llvm

namespace systole::compiler {

/// Turns clang's coroutine into sequential code: removes everything that allocates, destroys and
/// returns the coroutine. A co_await becomes one call of "hls.suspend", after the call that says
/// what it waits for. Each suspension keeps the label of its statement or of the innermost
/// loop around it, or a helper's name. Coroutines that it awaits become sequential, too: their ends
/// return, so that they can be inlined.
///
/// before  call @llvm.coro.await.suspend.void(%awaiter, %frame, @wrapper)
///         %s = call i8 @llvm.coro.suspend(%save, false)
///         switch i8 %s, label %ret [0: %resume, 1: %cleanup]
/// after   call @wrapper
///         call @hls.suspend
///         br %resume
///
/// Errors   Refusal for a coroutine that is called and not awaited, for recursion, and for awaiting
///          anything else
void make_sequential(llvm::Function& coroutine);

/// The name of the function that make_sequential calls for a suspension.
inline constexpr const char* kSuspend = "hls.suspend";

/// Calls around a loop with suspensions that is to be unrolled: each iteration then has its own
/// states.
void allow_copies(const llvm::Loop& loop);
void forbid_copies(llvm::Function& function);

/// Whether this is a suspension, and whether it is the thread's last, which never resumes.
bool is_suspension(const llvm::Instruction& instruction);
bool is_final(const llvm::Instruction& suspension);

/// The label of a suspension's statement or of the loop around it, or "".
llvm::StringRef label_of(const llvm::Instruction& suspension);

}  // namespace systole::compiler
