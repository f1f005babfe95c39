#include "host/distribute/interconnect.h"

#include <catch2/catch.hpp>

namespace systole::tests {
namespace {

// The model's arithmetic is a handful of fp64 operations.
constexpr double kRoundingTolerance = 1e-12;

}  // namespace

TEST_CASE("a ring all-reduce moves twice the values less one core's share", "[interconnect]") {
  CHECK(ring_bytes(1000, 1) == 0);
  CHECK(ring_bytes(1000, 2) == 1000);
  CHECK(ring_bytes(1000, 8) == 1750);
  CHECK(ring_bytes(1001, 8) == 1752);  // 1751.75
}

TEST_CASE("a ring all-reduce takes its messages' latency and its bytes' time", "[interconnect]") {
  const Link link{.gbit_per_second = 8, .latency_us = 2, .source = "test"};
  // 14 messages of 125 bytes: 2 us and 125 ns each.
  CHECK(ring_seconds(link, 1000, 8) == Approx(14 * 2.125e-6).epsilon(kRoundingTolerance));
  CHECK(ring_seconds(link, 1000, 1) == 0);
  CHECK(ring_seconds({}, 1000, 8) == 0);
}

TEST_CASE("a device's link names the source of its figures", "[interconnect]") {
  DeviceInfo info;
  CHECK(interconnect_of(info).gbit_per_second == 0);
  info.array_size = 16;
  info.clock_mhz = 200;
  CHECK(interconnect_of(info).gbit_per_second == Approx(25.6).epsilon(kRoundingTolerance));
  CHECK_THAT(interconnect_of(info).source, Catch::StartsWith("assumed"));
  info.array_size = 128;
  info.clock_mhz = 700;
  CHECK(interconnect_of(info).gbit_per_second == 496);
  CHECK_THAT(interconnect_of(info).source, Catch::Contains("CACM 2020"));
}

}  // namespace systole::tests
