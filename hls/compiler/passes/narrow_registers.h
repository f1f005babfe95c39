#pragma once

namespace systole::compiler {

struct LoweredThread;

/// Narrows registers that are kept over waits to the bits that states use.
///
/// before  %x = hls.read_register.i8(0, 0); trunc %x to i3
/// after   %x = hls.read_register.i3(0, 0)
void narrow_registers(LoweredThread& thread);

}  // namespace systole::compiler
