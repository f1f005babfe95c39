#pragma once

#include <vector>

#include "host/data/dataset.h"

namespace systole {

/// Mean and standard deviation of each channel, the last dimension of a sample.
///
/// Numbers  summed in fp64, samples ascending
struct ChannelStatistics {
  std::vector<float> mean, deviation;
};
ChannelStatistics channel_statistics(const Dataset& data);

/// (x - mean) / deviation for each channel; a constant channel becomes 0. Normalise test data with
/// the statistics of the training data.
///
/// Errors   std::invalid_argument for another number of channels
void standardize(Dataset& data, const ChannelStatistics& statistics);

}  // namespace systole
