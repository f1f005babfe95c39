#include "host/device/counters.h"

#include <catch2/catch.hpp>

namespace systole {
namespace {

using device::Count;

/// Every counter different, so that a forgotten or swapped one shows.
Counters sample() {
  Counters counters{.products = 7, .macs = 80};
  for (std::size_t i = 0; i < counters.counts.size(); ++i) counters.counts[i] = 100 + i * i;
  return counters;
}

Counters with(std::uint64_t cycles, std::uint64_t macs) {
  Counters counters{.macs = macs};
  counters.counts[static_cast<std::size_t>(Count::kCycles)] = cycles;
  return counters;
}

}  // namespace

TEST_CASE("adding counters and subtracting them again changes nothing", "[counters]") {
  Counters sum = sample();
  sum += sample();
  CHECK(sum != sample());
  CHECK(sum - sample() == sample());
  CHECK(sample() - sample() == Counters{});
}

TEST_CASE("every field of a sum of counters is the sum of that field", "[counters]") {
  Counters sum;
  sum += sample();
  CHECK(sum == sample());
}

TEST_CASE("utilization is the share of the array's multiply-adds that were useful", "[counters]") {
  CHECK(utilization(with(100, 1600), 4) == 1.0);
  CHECK(utilization(with(100, 400), 4) == 0.25);
}

TEST_CASE("utilization of a device without a clock is zero", "[counters]") {
  CHECK(utilization(with(0, 5), 0) == 0.0);
  CHECK(utilization(with(0, 5), 16) == 0.0);
}

TEST_CASE("rows and stalls make up all cycles", "[counters]") {
  Counters counters = with(1000, 0);
  const auto set = [&](Count which, std::uint64_t value) {
    counters.counts[static_cast<std::size_t>(which)] = value;
  };
  set(Count::kRows, 600);
  set(Count::kWaitForLoad, 100);
  set(Count::kWaitForStore, 50);
  set(Count::kWaitForWeights, 20);
  set(Count::kWaitForSums, 3);
  set(Count::kWaitForCommand, 400);  // also counts while the device is not busy
  CHECK(stalls(counters) ==
        Stalls{.load = 100, .store = 50, .weights = 20, .sums = 3, .idle = 227});
}

}  // namespace systole
