#pragma once

#include "hls/compiler/ir/lowered_kernel.h"

namespace systole::compiler {

/// Removes the clearing of an array that a loop fills whole before anything reads it, and of a
/// local one of which a nest reads only what it has written itself.
///
/// before  loop: hls.memory_write(2, %i, 0)    after  next: hls.memory_write(2, %j, %value)
///         next: hls.memory_write(2, %j, %value)
void drop_dead_clears(LoweredKernel& kernel);

}  // namespace systole::compiler
