// The filter as plain C++: each kernel against the sum that defines it.

#define CATCH_CONFIG_MAIN
#include "fir.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace {

constexpr unsigned kSeed = 1;
constexpr int kCoefficients[7] = {1, 15, 64, 96, 64, 15, 1};

/// The oracle: y[t] = sum of k[i] x[t - i]; before the first sample everything is 0.
int filtered(const std::vector<int>& x, std::size_t t) {
  int sum = 0;
  for (std::size_t i = 0; i < 7 && i <= t; ++i) sum += kCoefficients[i] * x[t - i];
  return sum;
}

/// Sends samples through the module; each side is willing in so many of 100 clocks.
std::vector<int> through(const std::vector<int>& samples, int offered, int taken, int* clocks) {
  std::mt19937 random(kSeed);
  fir::Fir<3> filter;
  filter.reset();
  std::vector<int> sums;
  std::size_t sent = 0;
  bool waits = false;
  for (*clocks = 0; sums.size() < samples.size(); ++*clocks) {
    const auto out = filter.outputs();
    waits = waits || (sent < samples.size() && random() % 100 < static_cast<unsigned>(offered));
    const bool takes = random() % 100 < static_cast<unsigned>(taken);
    if (out.sum.valid && takes) sums.push_back(static_cast<int>(out.sum.data.value()));
    const fir::Sample sample = fir::Sample::from(waits ? samples[sent] : 0);
    filter.clock(
        {.sample = {.valid = fir::as_bit(waits), .data = sample}, .sum_ready = fir::as_bit(takes)});
    if (waits && out.sample_ready) {
      ++sent;
      waits = false;
    }
  }
  return sums;
}

}  // namespace

TEST_CASE("fir_sum is the sum that defines the filter, at its extremes too") {
  for (const int x : {-2048, -1, 0, 1, 2047}) {
    const auto s = fir::Sample::from(x);
    CHECK(fir::fir_sum(s, s, s, s, s, s, s).value() == 256 * x);
  }
}

TEST_CASE("Fir gives a sum for every sample, in order, whoever stalls") {
  std::mt19937 random(kSeed);
  std::vector<int> samples(1000);
  for (int& sample : samples) sample = static_cast<int>(random() % 4096) - 2048;
  std::vector<int> expected;
  for (std::size_t t = 0; t < samples.size(); ++t) expected.push_back(filtered(samples, t));

  for (const int offered : {20, 100}) {
    for (const int taken : {20, 100}) {
      INFO("offered " << offered << " %, taken " << taken << " %, seed " << kSeed);
      int clocks = 0;
      CHECK(through(samples, offered, taken, &clocks) == expected);
      if (offered + taken == 200) CHECK(clocks == 1000 + 3 + 1);
    }
  }
}
