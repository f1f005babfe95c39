#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

struct LoweredThread;
struct Suspensions;

/// Gives each wait of a thread a state: its name, the registers it needs, and a function for the
/// edge that ends it, with ports and registers as operations.
///
/// before  row: for (;;) { x = co_await in.pop(); ... }
/// after   state StRow, which waits for `in`; thread.StRow() { ...; hls.store(state, ...) }
///
/// Errors   Refusal for an unknown stream or a loop that can run without a wait; those of
///          RegisterAccesses
void extract_states(llvm::Function& function, const Suspensions& suspensions,
                    LoweredThread& thread);

}  // namespace systole::compiler
