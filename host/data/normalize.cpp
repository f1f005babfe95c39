#include "host/data/normalize.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace systole {
namespace {

std::size_t channels_of(const Dataset& data) {
  return data.sample_shape.empty() ? 1 : static_cast<std::size_t>(data.sample_shape.back());
}

}  // namespace

ChannelStatistics channel_statistics(const Dataset& data) {
  const std::size_t channels = channels_of(data);
  std::vector<double> sum(channels), squares(channels);
  for (std::size_t i = 0; i < data.inputs.size(); ++i) sum[i % channels] += data.inputs[i];
  const double count = static_cast<double>(data.inputs.size()) / static_cast<double>(channels);
  ChannelStatistics statistics;
  for (std::size_t c = 0; c < channels; ++c) {
    statistics.mean.push_back(static_cast<float>(sum[c] / count));
  }
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    const double distance = data.inputs[i] - double{statistics.mean[i % channels]};
    squares[i % channels] += distance * distance;
  }
  for (std::size_t c = 0; c < channels; ++c) {
    statistics.deviation.push_back(static_cast<float>(std::sqrt(squares[c] / count)));
  }
  return statistics;
}

void standardize(Dataset& data, const ChannelStatistics& statistics) {
  const std::size_t channels = channels_of(data);
  if (statistics.mean.size() != channels || statistics.deviation.size() != channels) {
    throw std::invalid_argument(fmt::format("statistics of {} channels for samples of {}",
                                            statistics.mean.size(), channels));
  }
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    const float deviation = statistics.deviation[i % channels];
    const float distance = data.inputs[i] - statistics.mean[i % channels];
    data.inputs[i] = deviation > 0 ? distance / deviation : 0.0f;
  }
}

}  // namespace systole
