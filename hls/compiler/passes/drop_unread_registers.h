#pragma once

namespace systole::compiler {

struct LoweredModule;

/// Removes from clock() and reset() the registers on which no output, submodule or pipeline
/// depends: members written before they are read in every clock, which are wires, and members never
/// read. A register that is always 0 becomes a constant.
///
/// before  hls.write_register(4, 0, %v)    without an hls.read_register(4, 0) that matters
/// after   (nothing)
void drop_unread_registers(LoweredModule& module);

}  // namespace systole::compiler
