#include "host/data/normalize.h"

#include <catch2/catch.hpp>

namespace systole::tests {
namespace {

Dataset two_channels() {
  return {.name = "two",
          .sample_shape = {1, 2, 2},
          .inputs = {1, 5, 3, 5, 5, 5, 7, 5},
          .labels = {0, 1},
          .classes = 2};
}

}  // namespace

TEST_CASE("each channel has its mean and deviation", "[normalize]") {
  const ChannelStatistics statistics = channel_statistics(two_channels());
  CHECK(statistics.mean == std::vector<float>{4, 5});
  CHECK(statistics.deviation[0] == Approx(std::sqrt(5.0)));
  CHECK(statistics.deviation[1] == 0);
}

TEST_CASE("standardised channels have mean 0 and deviation 1; a constant one is 0", "[normalize]") {
  Dataset data = two_channels();
  standardize(data, channel_statistics(data));
  const ChannelStatistics after = channel_statistics(data);
  CHECK(after.mean[0] == Approx(0).margin(1e-6));
  CHECK(after.deviation[0] == Approx(1));
  CHECK(data.inputs[0] == Approx(-3 / std::sqrt(5.0)));
  CHECK(data.inputs[1] == 0);
  Dataset other = two_channels();
  other.sample_shape = {4};
  CHECK_THROWS_WITH(standardize(other, after), Catch::Contains("2 channels for samples of 4"));
}

}  // namespace systole::tests
