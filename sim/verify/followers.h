#pragma once

#include "sim/verify/program.h"
#include "systole/cosim/random.h"

namespace systole::verify {

/// Puts commands after those that bring a program's fault: fences, and commands that must have no
/// effect. In half of the programs a fence goes before them, so that the device has fetched what
/// follows when it meets the fault.
///
/// Limits   nothing changes where the program is done, or its fault is the host's
void add_followers(Program& program, const Layout& layout, int array_size, cosim::Random& random);

/// Whether a fence follows the commands that bring the fault.
bool has_fence_after_fault(const Program& program);

}  // namespace systole::verify
