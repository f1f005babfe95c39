#include "host/driver/counters.h"

#include <catch2/catch.hpp>

namespace systole {
namespace {

// Eight different values, so that a forgotten or swapped field shows.
constexpr Counters kSample{.cycles = 1,
                           .busy_cycles = 20,
                           .weight_stall_cycles = 300,
                           .hazard_stall_cycles = 4'000,
                           .drain_cycles = 50'000,
                           .tiles = 600'000,
                           .products = 7'000'000,
                           .macs = 80'000'000};

}  // namespace

TEST_CASE("adding counters and taking them away again changes nothing", "[counters]") {
  Counters sum = kSample;
  sum += kSample;
  CHECK(sum != kSample);
  CHECK(sum - kSample == kSample);
  CHECK(kSample - kSample == Counters{});
}

TEST_CASE("every field of a sum of counters is the sum of that field", "[counters]") {
  Counters sum;
  sum += kSample;
  CHECK(sum == kSample);
}

TEST_CASE("utilization is the share of the array's multiply-adds that were useful", "[counters]") {
  CHECK(utilization({.cycles = 100, .macs = 1600}, 4) == 1.0);
  CHECK(utilization({.cycles = 100, .macs = 400}, 4) == 0.25);
}

TEST_CASE("utilization of a device without a clock is zero", "[counters]") {
  CHECK(utilization({.macs = 5}, 0) == 0.0);
  CHECK(utilization({.macs = 5}, 16) == 0.0);
}

}  // namespace systole
