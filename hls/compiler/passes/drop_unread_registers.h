#pragma once

namespace systole::compiler {

struct LoweredModule;

/// Removes the registers that no output, submodule or pipeline depends on, from clock() and
/// reset(): members that are written before they are read in every clock, which are wires, and
/// members that nobody reads. A register that is only ever 0 is a constant.
///
/// before  hls.write_register(4, 0, %v)    and no hls.read_register(4, 0) that matters
/// after   (nothing)
void drop_unread_registers(LoweredModule& module);

}  // namespace systole::compiler
