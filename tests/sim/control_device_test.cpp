// The accelerator without its data path shows the same signals as the whole one in every clock.
#include <catch2/catch.hpp>
#include <memory>

#include "sim/device/lockstep_device.h"
#include "sim/device/native_accelerator.h"
#include "sim/device/native_devices.h"
#include "sim/verify/verification.h"

namespace systole {
namespace {

using namespace verify;

/// A control accelerator that makes one of its read requests a clock late.
template <int kSize>
class Late : public sim::ControlAccelerator<kSize> {
 public:
  void clock(sim::ToDevice to) {
    sim::FromDevice from;
    this->show(from);
    const bool leaves = from.axi.read_request.valid && to.axi.read_request_ready;
    if (leaves && ++requests_ == 5) to.axi.read_request_ready = false;
    sim::ControlAccelerator<kSize>::clock(to);
  }

 private:
  int requests_ = 0;
};

}  // namespace

TEST_CASE("control alone runs in lock-step with the whole accelerator in random programs",
          "[control_device]") {
  const auto [size, cases] =
      GENERATE(std::pair(4, 60), std::pair(8, 30), std::pair(16, 10), std::pair(32, 3));
  const DeviceMaker make_device = [](const Case& which, DeviceMemory& memory) {
    return sim::make_native_lockstep_device(which.array_size, memory, which.behaviour,
                                            which.harness);
  };
  for (int seed = 1; seed <= cases; ++seed) {
    INFO("array " << size << ", seed " << seed);
    CHECK_FALSE(check(make_case(static_cast<std::uint64_t>(seed), size), make_device));
  }
}

TEST_CASE("control alone runs in lock-step with the whole accelerator on wider buses",
          "[control_device]") {
  const auto [size, bus] =
      GENERATE(std::pair(4, 8), std::pair(4, 16), std::pair(8, 16), std::pair(8, 32));
  const DeviceMaker make_device = [](const Case& which, DeviceMemory& memory) {
    return sim::make_native_lockstep_device(which.array_size, memory, which.behaviour,
                                            which.harness);
  };
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("array " << size << ", bus " << bus << ", seed " << seed);
    CHECK_FALSE(check(make_case(seed, size, bus), make_device));
  }
}

TEST_CASE("control that is late by one clock once is detected", "[control_device]") {
  using Whole = sim::NativeAccelerator<4>;
  using Both = sim::LockstepDevice<Whole, Late<4>>;
  const DeviceMaker make_device = [](const Case& which,
                                     DeviceMemory& memory) -> std::unique_ptr<sim::DevicePort> {
    return std::make_unique<sim::DeviceHarness<Both>>(
        std::make_unique<Both>(std::make_unique<Whole>(), std::make_unique<Late<4>>()), memory,
        which.behaviour, which.harness);
  };
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    found += check(make_case(seed, 4), make_device).has_value();
  }
  CHECK(found > 3);
}

}  // namespace systole
