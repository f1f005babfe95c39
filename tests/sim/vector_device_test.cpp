// The whole device runs a vector program by one doorbell, natively, without data and as a model.
#include <catch2/catch.hpp>
#include <memory>

#include "host/device/device_memory.h"
#include "host/device/register_driver.h"
#include "sim/device/control_devices.h"
#include "sim/device/native_devices.h"
#include "sim/model/model_device.h"
#include "tests/sim/adam_on_device.h"

namespace systole {
namespace {

using tests::AdamOnDevice;

constexpr std::uint16_t kParameters = 2048;

}  // namespace

TEST_CASE("Adam by one doorbell has the interpreter's bits, and its clocks do not need data",
          "[vector_device]") {
  const int size = GENERATE(4, 16);
  const auto memory = std::make_shared<DeviceMemory>();
  const AdamOnDevice adam(size, *memory, kParameters);
  RegisterDriver counted(memory, sim::make_control_device(size, *memory));
  const ProgramResult clocks = counted.run(adam.placed());
  RegisterDriver whole(memory, sim::make_native_device(size, *memory));
  const ProgramResult result = whole.run(adam.placed());
  REQUIRE(result.fault == device::FaultCode::kNone);
  CHECK(adam.result() == adam.expected());
  CHECK(clocks.counts == result.counts);
  const auto count = [&](device::Count which) {
    return result.counts[static_cast<std::size_t>(which)];
  };
  // 18 clocks a word, and the way of the first words from memory.
  CHECK(count(device::Count::kVectorBusy) >= 18 * adam.words());
  CHECK(count(device::Count::kVectorBusy) < 18 * adam.words() + 500);
  CHECK(count(device::Count::kCycles) < 18 * adam.words() + 1000);
}

TEST_CASE("the model has the bits and clocks of Adam on the device", "[vector_device]") {
  const auto memory = std::make_shared<DeviceMemory>();
  const AdamOnDevice adam(4, *memory, kParameters);
  const auto modelled_memory = std::make_shared<DeviceMemory>();
  const AdamOnDevice modelled(4, *modelled_memory, kParameters);
  RegisterDriver whole(memory, sim::make_native_device(4, *memory));
  const ProgramResult result = whole.run(adam.placed());
  ProgramClocks clocks{DiskCache({})};
  auto clocked = std::make_unique<RegisterDriver>(modelled_memory,
                                                  sim::make_control_device(4, *modelled_memory));
  ModelDevice model(4, 1, modelled_memory, std::move(clocked), {}, clocks);
  const ProgramResult by_model = model.run(modelled.placed());
  CHECK(by_model.fault == device::FaultCode::kNone);
  CHECK(by_model.counts == result.counts);
  CHECK(modelled.result() == adam.expected());
}

TEST_CASE("a program takes the same clocks after another one", "[vector_device]") {
  const int size = GENERATE(4, 16);
  const bool has_data = GENERATE(false, true);
  const auto memory = std::make_shared<DeviceMemory>();
  const AdamOnDevice adam(size, *memory, kParameters);
  RegisterDriver driver(memory, has_data ? sim::make_native_device(size, *memory)
                                         : sim::make_control_device(size, *memory));
  const ProgramResult first = driver.run(adam.placed());
  REQUIRE(first.fault == device::FaultCode::kNone);
  for (int again = 0; again < 3; ++again) CHECK(driver.run(adam.placed()).counts == first.counts);
}

TEST_CASE("a reset lasts until the vector unit is empty", "[vector_device]") {
  using device::Register;
  const auto memory = std::make_shared<DeviceMemory>();
  const AdamOnDevice adam(4, *memory, kParameters);
  const std::shared_ptr<sim::DevicePort> port = sim::make_native_device(4, *memory);
  RegisterDriver driver(memory, port);
  REQUIRE(driver.run(adam.placed()).fault == device::FaultCode::kNone);
  port->write_register(Register::kControl, device::kReset);
  int polls = 0;
  while ((port->read_register(Register::kStatus) & device::kResetting) != 0) ++polls;
  CHECK(polls > 0);
  for (int look = 0; look < 50; ++look) {
    CHECK(port->read_register(Register::kStatus) == 0);
    CHECK(port->read_register(Register::kInterruptStatus) == 0);
    CHECK(port->read_counter(device::Count::kCycles) == 0);
  }
}

}  // namespace systole
