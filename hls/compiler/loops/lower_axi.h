#pragma once

#include "hls/compiler/ir/lowered_kernel.h"

namespace systole::compiler {

/// Turns accesses of AxiArrays into pushes and pops of the streams of their engines. An innermost
/// loop that reads or writes element after element in every iteration does so in one run, which is
/// asked for in front of it; any other access is a run of one element.
///
/// before  loop: %x = hls.memory_read(0, %i)    after  hls.stream_push(1, {%n, %address}, true)
///                                                     loop: %x = hls.stream_pop(2, true)
///
/// A read of an array that the function also writes waits until everything is written, and so does
/// the function's end.
void lower_axi(LoweredKernel& kernel);

}  // namespace systole::compiler
