// The accelerator in the SystemC bench against a plain harness: the same programs give the same
// bits and counters, and errors reach the host.
#include "sim/systemc/systemc_device.h"

#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "host/device/device.h"
#include "sim/device/native_devices.h"
#include "sim/device/same_signals.h"
#include "sim/monitor/protocol_error.h"
#include "tests/systemc/product_run.h"

namespace systole {
namespace {

using namespace sim;
using device::FaultCode;
using device::Register;
using tests::ProductCase;
using tests::ProductOutcome;
using tests::run_product;

constexpr int kSize = 4;

MemoryBehaviour calm() { return {}; }

MemoryBehaviour restless() {
  return {
      .latency = 17,
      .write_latency = 5,
      .bytes_per_cycle = 3,
      .bursts = 3,
      .stalls = {.read_request = 60, .read = 80, .write_request = 40, .write = 90, .response = 120},
      .mix_reads = true,
      .seed = 7};
}

/// A model with one signal inverted in one clock.
class Tampered final : public DeviceModel {
 public:
  Tampered(std::unique_ptr<DeviceModel> model, std::uint64_t clock)
      : model_(std::move(model)), until_(clock) {}
  int array_size() const override { return model_->array_size(); }
  void reset() override { model_->reset(); }
  void clock(const ToDevice& to) override {
    model_->clock(to);
    --until_;
  }
  void show(FromDevice& from) override {
    model_->show(from);
    if (until_ == 0) from.axi.read_ready = !from.axi.read_ready;
  }

 private:
  std::unique_ptr<DeviceModel> model_;
  std::uint64_t until_;
};

/// A model that withdraws its first read request.
class Fickle final : public DeviceModel {
 public:
  explicit Fickle(std::unique_ptr<DeviceModel> model) : model_(std::move(model)) {}
  int array_size() const override { return model_->array_size(); }
  void reset() override { model_->reset(); }
  void clock(const ToDevice& to) override { model_->clock(to); }
  void show(FromDevice& from) override {
    model_->show(from);
    if (from.axi.read_request.valid && seen_++ == 1) from.axi.read_request.valid = false;
  }

 private:
  std::unique_ptr<DeviceModel> model_;
  int seen_ = 0;
};

}  // namespace

TEST_CASE("a product has the bits and the counters of the plain harness", "[systemc]") {
  for (const bool stalls : {false, true}) {
    const MemoryBehaviour behaviour = stalls ? restless() : calm();
    const HarnessOptions options{.lite_seed = stalls ? 3u : 0u};
    INFO((stalls ? "restless" : "calm"));
    ProductCase plain(13, 9, 11, 1), co_simulated(13, 9, 11, 1);
    const auto harness = make_native_device(kSize, plain.memory, behaviour, options);
    const ProductOutcome expected = run_product(plain, *harness, kSize, plain.end);
    const auto device = make_systemc_device(kSize, co_simulated.memory, behaviour, options);
    const ProductOutcome outcome = run_product(co_simulated, *device, kSize, co_simulated.end);
    CHECK(outcome.fault == FaultCode::kNone);
    CHECK(outcome.counters == expected.counters);
    CHECK(outcome.clocks == expected.clocks);
    CHECK(outcome.counters[static_cast<std::size_t>(device::Count::kTiles)] != 0);
    CHECK(co_simulated.result() == plain.result());
  }
}

TEST_CASE("registers are read and written as transactions, errors come back", "[systemc]") {
  DeviceMemory memory;
  const auto device = make_systemc_device(kSize, memory);
  CHECK(device->read_register(Register::kIdentity) == device::kIdentity);
  CHECK(device->read_register(Register::kArraySize) == kSize);
  device->write_register(Register::kWindowBaseLow, 0x12345678, 16);
  CHECK(device->read_register(Register::kWindowBaseLow, 16) == 0x12345678);
  CHECK(device->write_bus(0, 1, 15).response == 2);
  CHECK(device->read_bus(0xff0).response == 2);
  CHECK_THROWS_AS(device->read_register(Register::kIdentity, 0xff0), DeviceError);
  CHECK_THROWS_WITH(device->read_bus(0x1000), Catch::Contains("TLM_ADDRESS_ERROR_RESPONSE"));
  const std::uint64_t before = device->clocks();
  device->run(123);
  CHECK(device->clocks() == before + 123);
}

TEST_CASE("an error of memory becomes the device's fault", "[systemc]") {
  ProductCase which(8, 8, 8, 2);
  const std::uint64_t b = which.product.b;
  const auto device = make_systemc_device(
      kSize, which.memory,
      {.error_ranges = {{.base = b, .end = b + 64, .reads = true, .writes = false}}});
  const ProductOutcome outcome = run_product(which, *device, kSize, which.end);
  CHECK(outcome.fault == FaultCode::kReadError);
  CHECK(outcome.fault_address >= b);
  CHECK(outcome.fault_address < b + 64);
}

TEST_CASE("a window that ends too early stops the store before anything is written", "[systemc]") {
  ProductCase which(8, 8, 8, 3);
  const auto device = make_systemc_device(kSize, which.memory);
  const ProductOutcome outcome = run_product(which, *device, kSize, which.product.c);
  CHECK(outcome.fault == FaultCode::kWriteWindow);
  CHECK(outcome.fault_address == which.product.c);
  CHECK(which.result() == std::vector<std::uint32_t>(64, 0));
}

TEST_CASE("a signal that differs stops the run and is named with its clock", "[systemc]") {
  ProductCase which(8, 8, 8, 4);
  const auto device =
      make_systemc_device(make_verilated_model(kSize),
                          std::make_unique<Tampered>(make_native_model(kSize), 300), which.memory);
  CHECK_THROWS_WITH(run_product(which, *device, kSize, which.end),
                    Catch::Contains("clock 300: read_ready is"));
  CHECK_THROWS_AS(device->read_register(Register::kIdentity), LockstepError);
}

TEST_CASE("a broken handshake stops the run", "[systemc]") {
  ProductCase which(8, 8, 8, 5);
  const auto device = make_systemc_device(std::make_unique<Fickle>(make_native_model(kSize)),
                                          nullptr, which.memory, {.stalls = {.read_request = 200}});
  CHECK_THROWS_AS(run_product(which, *device, kSize, which.end), ProtocolError);
}

TEST_CASE("a device works after another one failed", "[systemc]") {
  ProductCase which(8, 8, 8, 6);
  {
    const auto broken =
        make_systemc_device(std::make_unique<Tampered>(make_native_model(kSize), 50),
                            make_native_model(kSize), which.memory);
    CHECK_THROWS_AS(run_product(which, *broken, kSize, which.end), LockstepError);
  }
  const auto device = make_systemc_device(kSize, which.memory);
  CHECK(run_product(which, *device, kSize, which.end).fault == FaultCode::kNone);
}

TEST_CASE("devices keep separate clocks on any thread", "[systemc]") {
  ProductCase small(5, 6, 7, 7), large(13, 9, 11, 1);
  const auto first = make_systemc_device(kSize, small.memory);
  const auto second = make_systemc_device(kSize, large.memory);
  const auto harness = make_native_device(kSize, large.memory);
  const ProductOutcome expected = run_product(large, *harness, kSize, large.end);
  first->run(77);
  CHECK(second->clocks() == 0);
  ProductOutcome outcome;
  std::thread thread([&] { outcome = run_product(large, *second, kSize, large.end); });
  CHECK(run_product(small, *first, kSize, small.end).fault == FaultCode::kNone);
  thread.join();
  CHECK(outcome.counters == expected.counters);
  CHECK(outcome.clocks == expected.clocks);
}

TEST_CASE("sixteen devices fit in a process", "[systemc]") {
  DeviceMemory memory;
  std::vector<std::unique_ptr<DevicePort>> devices;
  for (int i = 0; i < 16; ++i) devices.push_back(make_systemc_device(kSize, memory));
  CHECK_THROWS_WITH(make_systemc_device(kSize, memory), Catch::Contains("too many are in use"));
  devices.pop_back();
  CHECK_NOTHROW(make_systemc_device(kSize, memory));
}

TEST_CASE("a device of a size that was not Verilated is refused", "[systemc]") {
  DeviceMemory memory;
  CHECK_THROWS_WITH(make_systemc_device(5, memory), Catch::Contains("SYSTOLE_ARRAYS"));
  CHECK_THROWS_WITH(make_systemc_device(kSize, memory, {.latency = 0}),
                    Catch::Contains("latency is at least 1"));
}

}  // namespace systole
