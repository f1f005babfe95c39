#pragma once

#include <vector>

#include "hls/compiler/dataflow/network.h"
#include "hls/compiler/loops/compile_kernel.h"

namespace systole::compiler {

/// Refuses a network that may wait for itself, where simulate_network() has not answered: a stream
/// may be full until a process starts that gets a value or an array from one that cannot end
/// before.
///
///   a(in, s, x);    // fills s, and sets x when it ends
///   b(in, t, y);
///   c(s, y, out);   // starts when b has ended
///   d(t, x, more);  // starts when a has ended
///
/// waits for itself unless s or t has a place for all that a run pushes. Where streams alone part
/// and join again, those that cannot hold it are marked: how far one way runs ahead of the other is
/// data's matter.
///
/// Errors   Refusal at the stream, with who waits for whom and the places that it needs
void check_waits(Network& network, const std::vector<const CompiledKernel*>& processes);

}  // namespace systole::compiler
