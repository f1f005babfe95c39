#pragma once

namespace systole::compiler {

struct LoweredThread;

/// Removes states that neither the reset nor another state reaches, such as a wait under a
/// condition that became constant, and renumbers the rest. Such a state would read registers that
/// nothing writes.
///
/// before  reset: state = 0   edge 0: state = 0   edge 1: state = 2   edge 2: state = 0
/// after   reset: state = 0   edge 0: state = 0
///
/// Limits   run after simplification; if the next state is more than a select of constants, all
///          states stay
void drop_unreachable_states(LoweredThread& thread);

}  // namespace systole::compiler
