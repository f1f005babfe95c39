// The harness with a stand-in device of a dozen registers: accesses in every order the protocol
// allows, the interrupt, and a device that hangs.
#include "sim/device/device_harness.h"

#include <array>
#include <catch2/catch.hpp>
#include <memory>

namespace systole {
namespace {

using namespace sim;
using device::Register;

/// Registers that can be written and read, the first one only read; none above 0x200.
/// Ringing the doorbell with n raises the interrupt n clocks later; 0xffff makes it hang.
class StandIn {
 public:
  static constexpr int kN = 8, kBus = 8;

  void reset() { *this = {}; }
  void show(FromDevice& from) const {
    from.lite.write_address_ready = !has_address_;
    from.lite.write_data_ready = !has_data_;
    from.lite.write_response_valid = has_address_ && has_data_;
    from.lite.write_response = is_writable() ? 0 : 2;
    from.lite.read_address_ready = !reads_;
    from.lite.read_data_valid = reads_;
    from.lite.read_data = read_at_ < 0x200 ? words_[read_at_ / 4u] : 0;
    from.lite.read_response = read_at_ < 0x200 ? 0 : 2;
    from.interrupt = countdown_ == 0;
  }
  void clock(const ToDevice& to) {
    FromDevice shown;
    show(shown);
    if (countdown_ > 0) {
      --countdown_;
      ++words_[static_cast<int>(Register::kCounters) / 4 + 4];  // rows enter
    }
    const LiteToDevice& in = to.lite;
    if (in.read_address_valid && shown.lite.read_address_ready) {
      reads_ = true;
      read_at_ = in.read_address;
    }
    if (shown.lite.read_data_valid && in.read_data_ready) reads_ = false;
    if (shown.lite.write_response_valid && in.write_response_ready) {
      if (is_writable()) write();
      has_address_ = has_data_ = false;
    }
    if (in.write_address_valid && shown.lite.write_address_ready) {
      has_address_ = true;
      write_at_ = in.write_address;
    }
    if (in.write_data_valid && shown.lite.write_data_ready) {
      has_data_ = true;
      data_ = in.write_data;
    }
  }

 private:
  bool is_writable() const { return write_at_ != 0 && write_at_ < 0x200; }
  void write() {
    words_[write_at_ / 4u] = data_;
    if (write_at_ == static_cast<int>(Register::kRingTail)) {
      countdown_ = data_ == 0xffff ? -1 : static_cast<int>(data_);
    }
  }

  std::array<std::uint32_t, 128> words_{device::kIdentity};
  bool has_address_ = false, has_data_ = false, reads_ = false;
  std::uint16_t write_at_ = 0, read_at_ = 0;
  std::uint32_t data_ = 0;
  int countdown_ = -1;
};

DeviceHarness<StandIn> make_harness(DeviceMemory& memory, HarnessOptions options = {}) {
  return {std::make_unique<StandIn>(), memory, {}, options};
}

}  // namespace

TEST_CASE("registers are written and read back in any order of the host's signals",
          "[device_harness]") {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    INFO("seed " << seed);
    DeviceMemory memory;
    auto harness = make_harness(memory, {.lite_seed = seed});
    CHECK(harness.read_register(Register::kIdentity) == device::kIdentity);
    for (std::uint32_t i = 0; i < 200; ++i) {
      harness.write_register(Register::kWindowBaseLow, i, 16);
      harness.write_register(Register::kMarker, ~i);
      REQUIRE(harness.read_register(Register::kWindowBaseLow, 16) == i);
      REQUIRE(harness.read_register(Register::kMarker) == ~i);
    }
  }
}

TEST_CASE("an error answer is a DeviceError that names the register", "[device_harness]") {
  DeviceMemory memory;
  auto harness = make_harness(memory);
  CHECK_THROWS_WITH(harness.write_register(Register::kIdentity, 5), Catch::Contains("0x000"));
  CHECK_THROWS_AS(harness.read_register(Register::kIdentity, 0x200), DeviceError);
  CHECK(harness.read_bus(0x200).response == 2);
  CHECK(harness.write_bus(0, 1, 15).response == 2);
  CHECK(harness.read_register(Register::kIdentity) == device::kIdentity);
}

TEST_CASE("waiting ends with the interrupt", "[device_harness]") {
  DeviceMemory memory;
  auto harness = make_harness(memory, {.patience = 100});
  harness.write_register(Register::kRingTail, 12345);
  const std::uint64_t before = harness.clocks();
  harness.wait_for_interrupt();
  CHECK(harness.interrupt());
  // A check of the watchdog may be under way when the interrupt comes.
  CHECK(harness.clocks() - before >= 12345);
  CHECK(harness.clocks() - before < 12345 + 200);
}

TEST_CASE("a hanging device is reported with its registers", "[device_harness]") {
  DeviceMemory memory;
  auto harness = make_harness(memory, {.patience = 200});
  harness.write_register(Register::kStatus, device::kBusy | device::kWaitsForHost);
  harness.write_register(Register::kRingHead, 17);
  harness.write_register(Register::kRingTail, 0xffff);
  CHECK_THROWS_WITH(harness.wait_for_interrupt(),
                    Catch::Contains("nothing has moved for 200 clocks") &&
                        Catch::Contains("busy, waits for the host") &&
                        Catch::Contains("head 17, tail 65535") &&
                        Catch::Contains("load_wait_for_data 0 (+0)"));
}

}  // namespace systole
