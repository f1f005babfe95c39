#pragma once

namespace systole::compiler {

struct LoweredThread;

/// Keeps of each register that is carried over waits only the bits that a state uses.
///
/// before  %x = hls.read_register.i8(0, 0); trunc %x to i3    after  %x = hls.read_register.i3(0,
/// 0)
void narrow_registers(LoweredThread& thread);

}  // namespace systole::compiler
