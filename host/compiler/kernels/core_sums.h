#pragma once

#include <optional>
#include <vector>

#include "host/compiler/kernels/kernel_writer.h"

namespace systole::lowering {

/// Whether an operation adds values of several cores.
bool is_core_sum(const graph::Operation& operation);

/// What a core adds to the sum, times `weight`: a value in memory, or, where it is the same number
/// everywhere, that number.
struct CoreTerm {
  int value = -1;  ///< before any reshape; -1 for a number
  float number = 0;
  std::optional<float> weight = {};
};
CoreTerm term_of(const graph::Graph& graph, const graph::Operation& sum);

/// The kernel of core `core` that adds a value of all cores, in order.
///
///     term --+--> link to above, or memory on the last core
///     link from below --'
///
/// So the sum is ((t0 + t1) + t2) + ... The last core has all of it in memory before it sends any,
/// so that no core waits in a circle.
///
/// Limits   `value` is made by an all_reduce, its term is in memory as words
KernelCode write_upward_sum(const Surroundings& around, int value, int core);

/// The neighbours that bring words to a core and take them from it; memory where the core has them
/// as words already, or none takes them.
struct Passage {
  device::VectorStreamEnd from = {}, to = {};
};

/// The kernel of a core in a line along which a value passes.
///
///     link, or memory --> link to the next core, and memory in all formats
///
/// Limits   `formats`: up to three that a stream rounds to; kWord is not written where it comes
///          from memory
KernelCode write_passage(const Surroundings& around, int value, const Passage& passage,
                         const std::vector<Format>& formats);

/// Lets a kernel of links that goes by columns have two streams for each of its tensors, one for
/// each half of the rows: with one stream's beats under way, memory takes longer for a word than a
/// link. The cores that meet all do, or none.
///
/// Limits   one tensor each way, or none
void go_in_halves(KernelCode& code);

/// How the sum comes down again to core `core` of `cores`.
Passage downwards(std::int64_t core, std::int64_t cores);

}  // namespace systole::lowering
