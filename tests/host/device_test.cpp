#include "host/device/device.h"

#include <catch2/catch.hpp>
#include <limits>

#include "host/device/registry.h"
#include "tests/host/fake_backend.h"

namespace systole {

TEST_CASE("cpu is always the first device", "[device]") {
  REQUIRE_FALSE(Device::list().empty());
  const DeviceInfo info = Device::list().front();
  CHECK(info.name == "cpu");
  CHECK_FALSE(info.cycle_exact);
  CHECK_FALSE(info.bit_exact);
  CHECK(info.array_size == 0);
}

TEST_CASE("a registered backend is opened by its name", "[device]") {
  const Device device = tests::open_fake_device();
  CHECK(device.info().name == "fake");
  CHECK(Device::list().back().name == "fake");
  CHECK(device.supports(DataType::kInt8));
  CHECK_FALSE(device.supports(DataType::kFp32));
}

TEST_CASE("an unknown device is refused with the known names", "[device]") {
  CHECK_THROWS_WITH(Device::open("tpu9"),
                    Catch::Contains("unknown device 'tpu9'") && Catch::Contains("cpu"));
  CHECK_THROWS_AS(Device::open(""), std::invalid_argument);
}

TEST_CASE("an array size that a device lacks is refused with the sizes it has", "[device]") {
  tests::open_fake_device();
  for (const int size : {-1, 0, 5, 16}) {
    CHECK_THROWS_WITH(Device::open("fake", {.array_size = size}), Catch::Contains("N can be 4, 8"));
  }
  CHECK_NOTHROW(Device::open("cpu", {.array_size = 5}));  // cpu has no array to choose
}

TEST_CASE("threads and clocks out of range are refused", "[device]") {
  for (const int threads : {-1, 0, 1025}) {
    CHECK_THROWS_AS(Device::open("cpu", {.threads = threads}), std::invalid_argument);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double clock_mhz : {-1.0, 0.0, infinity, nan}) {
    CHECK_THROWS_AS(Device::open("cpu", {.clock_mhz = clock_mhz}), std::invalid_argument);
  }
}

TEST_CASE("a backend needs a maker and an unused name", "[device]") {
  tests::open_fake_device();
  const auto make = [](const DeviceOptions&) { return std::shared_ptr<Backend>(); };
  DeviceInfo info;
  info.name = "cpu";
  CHECK_THROWS_WITH(register_backend({.info = info, .array_sizes = {}, .make = make}),
                    Catch::Contains("'cpu' is registered already"));
  CHECK_THROWS_AS(register_backend({.info = {}, .array_sizes = {}, .make = make}),
                  std::invalid_argument);
  info.name = "other";
  CHECK_THROWS_AS(register_backend({.info = info, .array_sizes = {}, .make = nullptr}),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      register_backend({.info = info, .array_sizes = {}, .make = make, .place = "PORT"}),
      std::invalid_argument);
}

TEST_CASE("a backend with a place is opened by it, and not listed", "[device]") {
  DeviceInfo info;
  info.name = "far";
  std::string opened;
  register_backend({.info = info,
                    .array_sizes = {},
                    .place = "PORT",
                    .make_at = [&](const DeviceOptions&, const std::string& place) {
                      opened = place;
                      return std::shared_ptr<Backend>();
                    }});
  Device::open("far:away:@9");
  CHECK(opened == "away:@9");
  CHECK_THROWS_WITH(Device::open("far"), Catch::Contains("needs a place, as in far:PORT"));
  CHECK_THROWS_WITH(Device::open("fa"), Catch::Contains("far:PORT"));
  for (const DeviceInfo& listed : Device::list()) CHECK(listed.name != "far");
}

}  // namespace systole
