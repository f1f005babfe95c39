#pragma once

#include <llvm/ADT/StringRef.h>

namespace llvm {
class CallInst;
class Function;
class Instruction;
class Loop;
}  // namespace llvm

namespace systole::compiler {

/// Turns a coroutine as clang writes it into sequential code: what allocates, destroys and returns
/// the coroutine goes; a co_await is one call of "hls.suspend" behind the call that says what is
/// waited for. Each suspension keeps the label of the innermost loop around it.
///
/// before  call @llvm.coro.await.suspend.void(%awaiter, %frame, @wrapper)     after  call @wrapper
///         %s = call i8 @llvm.coro.suspend(%save, false)                             call
///         @hls.suspend switch i8 %s, label %ret [0: %resume, 1: %cleanup] br %resume
void make_sequential(llvm::Function& coroutine);

/// The function's name for a suspension that make_sequential leaves behind.
inline constexpr const char* kSuspend = "hls.suspend";

/// A loop with suspensions is only unrolled between these two: each of its turns then has states of
/// its own.
void allow_copies(const llvm::Loop& loop);
void forbid_copies(llvm::Function& function);

/// Whether this is a suspension; and of the end of the thread, which never goes on.
bool is_suspension(const llvm::Instruction& instruction);
bool is_final(const llvm::Instruction& suspension);

/// The label of the loop around a suspension, "" where there is none.
llvm::StringRef loop_label(const llvm::Instruction& suspension);

}  // namespace systole::compiler
