#pragma once

#include <vector>

#include "hls/compiler/ir/lowered_kernel.h"
#include "hls/compiler/loops/dependences.h"

namespace systole::compiler {

/// The orders between a block's pops and pushes: each stream moves at most one element a clock, in
/// the order of the program, also from one iteration to the next. Unless iterations may overlap, a
/// pop follows the pushes before it, which may have asked for it. An AxiArray's engine is asked for
/// one run after the other.
std::vector<Dependence> stream_orders(const llvm::BasicBlock& block, const llvm::Loop* loop,
                                      const std::vector<KernelStream>& streams);

}  // namespace systole::compiler
