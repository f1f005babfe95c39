#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/nn/layers/builder.h"

namespace systole::nn {

/// A core's rows of a batch that several cores share.
struct CoreRows {
  int core = 0, cores = 1;
  std::int64_t rows = 0, all = 0;  ///< the core's, and the batch's
};

/// The means over a batch's rows from `values`, which are means over this core's: each times the
/// core's share of the rows, added up over the cores by all_reduce. Of a single core, `values`.
///
/// The last value is summed first, as a backward pass makes gradients. A core without rows adds -0,
/// which changes no sum.
///
/// Limits   all cores give values of the same shapes in the same order
/// Numbers  ((s0 v0 + s1 v1) + s2 v2) + ..., products and sums rounded one by one; a share is the
///          quotient of the rows in fp32
std::vector<Value> means_over_cores(const CoreRows& core, std::span<const Value> values);

}  // namespace systole::nn
