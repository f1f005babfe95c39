#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

struct LoweredThread;

/// Removes the stores that write back what the register holds, and those that a later store in the
/// same block replaces.
///
/// before  hls.store(0, 0, hls.read_register(0, 0))    after  (nothing)
void drop_writes_of_same(llvm::Function& edge);

/// Removes the stores of registers that no state reads before it writes them, on the path on which
/// the store stands; a register without stores disappears from the text.
///
/// before  hls.store(3, 0, %x)    and no state reads register 3 afterwards
/// after   (nothing)
void drop_dead_registers(LoweredThread& thread);

}  // namespace systole::compiler
