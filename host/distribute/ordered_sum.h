#pragma once

#include <span>

#include "host/distribute/communicator.h"

namespace systole {

/// One core's part of a sum: weight * values.
struct WeightedValues {
  float weight = 0;
  std::span<const float> values;
};

/// sum[i] = ((w0 v0[i] + w1 v1[i]) + w2 v2[i]) + ..., over the cores of all ranks, on every rank.
///
/// Shapes   every part has as many values as `sum`, which may be the first part's values
/// Limits   a rank may have no part; parts are in the order of the cores
/// Timing   a running sum goes up the ranks in blocks and comes back: each value is sent twice by
///          each rank at most
/// Numbers  fp32, products and sums rounded one by one, core 0 first and ascending, whatever the
///          threads and however the cores are divided into ranks. The first part starts the sum, so
///          that one part of weight 1 is returned unchanged
/// Errors   RankError from the communicator
void ordered_sum(Communicator& communicator, std::span<const WeightedValues> parts,
                 std::span<float> sum);

}  // namespace systole
