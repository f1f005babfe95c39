#pragma once

namespace systole::compiler {

struct LoweredThread;

/// Keeps values of one name in one register where no state needs two of them: the counters of loops
/// that run one after the other, or a variable that is set again. Values of different names stay
/// apart, since a shared register hides what it holds and costs a multiplexer.
///
/// before  state 0 waits with wait (4 bits), state 1 with another wait (5 bits)
/// after   both wait with one of 5 bits
void share_registers(LoweredThread& thread);

}  // namespace systole::compiler
