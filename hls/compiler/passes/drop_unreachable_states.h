#pragma once

namespace systole::compiler {

struct LoweredThread;

/// Removes the states that no other state, and not the reset, ever goes to, and numbers the others
/// again: a wait under a condition that became a constant. Left there, such a state would read
/// registers that nothing writes.
///
/// before  reset: state = 0   edge 0: state = 0   edge 1: state = 2   edge 2: state = 0
/// after   reset: state = 0   edge 0: state = 0
///
/// Limits   run after simplification; where the next state is more than a choice of constants, all
///          states stay
void drop_unreachable_states(LoweredThread& thread);

}  // namespace systole::compiler
