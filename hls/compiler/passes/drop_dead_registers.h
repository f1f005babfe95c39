#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

struct LoweredThread;

/// Removes stores that write back the register's own value or nothing that was set, and those that
/// a later store in the same block overwrites.
///
/// before  hls.store(0, 0, hls.read_register(0, 0))    after  (nothing)
void drop_writes_of_same(llvm::Function& edge);

/// Removes a store if every path from it writes the register before reading it; a register without
/// stores is not emitted.
///
/// before  hls.store(3, 0, %x)    and no state reads register 3 afterwards
/// after   (nothing)
void drop_dead_registers(LoweredThread& thread);

}  // namespace systole::compiler
