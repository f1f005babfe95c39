#pragma once

#include <array>
#include <optional>

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

/// The kernels of core `core` that add a value of all cores, in order.
///
///     upwards    term --+--> link to above, or memory on the last core
///     link from below --'
///     downwards  link from above, or memory on the last core --> memory and link to below
///
/// So the sum is ((t0 + t1) + t2) + ..., and the same bits are in memory of every core. The last
/// core has all of it in memory before it sends any, so that no core waits in a circle.
///
/// Limits   `value` is made by an all_reduce, its term is in memory as words; `formats`: kWord, and
///          up to two others that a stream rounds to
std::array<KernelCode, 2> write_core_sum(const Surroundings& around, int value, int core,
                                         const std::vector<Format>& formats);

}  // namespace systole::lowering
