// The register file at its AXI4-Lite port.

#include "hls/kernels/registers.h"

#include <catch2/catch.hpp>

#include "host/device/device_map.h"

namespace systole::tests {
namespace {

using namespace systole::kernels;

/// Drives the port as a host does, one access at a time.
class Port {
 public:
  using File = Registers<16, 512>;

  Port() { file_.reset(); }

  /// Writes a word and returns the response.
  unsigned write(int offset, std::uint32_t data, unsigned strobe = 15) {
    File::Inputs in = idle_;
    in.write_address = {.valid = UInt1(1), .data = UInt<12>::from(static_cast<unsigned>(offset))};
    in.write_data = {.valid = UInt1(1),
                     .data = {.data = UInt32::from(data), .strobe = UInt<4>::from(strobe)}};
    while (!file_.outputs().write_address_ready) clock(in);
    clock(in);
    in = idle_;
    const auto response = file_.outputs().write_response;
    REQUIRE(response.valid);
    clock(in);
    CHECK(file_.outputs().write_response.valid);  // until it is taken
    in.write_response_ready = UInt1(1);
    clock(in);
    CHECK_FALSE(file_.outputs().write_response.valid);
    return static_cast<unsigned>(response.data.value());
  }

  /// Reads a word; `response` is 0 where it was one.
  std::uint32_t read(int offset, unsigned response = 0) {
    File::Inputs in = idle_;
    in.read_address = {.valid = UInt1(1), .data = UInt<12>::from(static_cast<unsigned>(offset))};
    while (!file_.outputs().read_address_ready) clock(in);
    clock(in);
    in = idle_;
    const auto data = file_.outputs().read_data;
    REQUIRE(data.valid);
    CHECK(data.data.response.value() == response);
    in.read_data_ready = UInt1(1);
    clock(in);
    return static_cast<std::uint32_t>(data.data.data.value());
  }

  void clock(const File::Inputs& in) {
    file_.clock(in);
    resets_ += file_.outputs().reset.value() != 0;
    resumes_ += file_.outputs().resume.value() != 0;
  }
  void clock() { clock(idle_); }

  File::Inputs idle_;
  File file_;
  int resets_ = 0;
  int resumes_ = 0;
};

TEST_CASE("the register file identifies the device", "[registers]") {
  Port port;
  CHECK(port.read(kRegisterIdentity) == 0x53595354);
  CHECK(port.read(kRegisterVersion) == kVersion);
  CHECK(port.read(kRegisterArraySize) == 16);
  CHECK(port.read(kRegisterBusBytes) == 16);
  CHECK(port.read(kRegisterBankRows) == 512);
  CHECK(port.read(kRegisterRowBufferRows) == kRowBufferRows);
  CHECK(port.read(kRegisterWeightBufferRows) == kWeightBufferRows);
  CHECK(port.read(kRegisterMaskRows) == kMaskRows);
}

TEST_CASE("written registers read back and reach their outputs", "[registers]") {
  Port port;
  CHECK(port.write(kRegisterRingBaseLow, 0xabcdef10) == 0);
  CHECK(port.write(kRegisterRingBaseHigh, 0x12) == 0);
  CHECK(port.write(kRegisterRingLog2, 9) == 0);
  CHECK(port.write(kRegisterRingTail, 77) == 0);
  CHECK(port.read(kRegisterRingBaseLow) == 0xabcdef10);
  CHECK(port.read(kRegisterRingBaseHigh) == 0x12);
  const auto ring = port.file_.outputs().ring;
  CHECK(ring.base.value() == 0x12abcdef10);
  CHECK(ring.log2.value() == 9);
  CHECK(ring.tail.value() == 77);
  for (int i = 0; i < kWindowCount; ++i) {
    const auto low = static_cast<std::uint32_t>(0x1000 * i);
    CHECK(port.write(kRegisterWindowBaseLow + 16 * i, low) == 0);
    CHECK(port.write(kRegisterWindowBaseHigh + 16 * i, static_cast<std::uint32_t>(i)) == 0);
    CHECK(port.write(kRegisterWindowEndLow + 16 * i, low + 0x800) == 0);
    CHECK(port.write(kRegisterWindowEndHigh + 16 * i, static_cast<std::uint32_t>(i + 1)) == 0);
    CHECK(port.read(kRegisterWindowEndLow + 16 * i) == low + 0x800);
    CHECK(port.read(kRegisterWindowBaseHigh + 16 * i) == static_cast<std::uint32_t>(i));
  }
  CHECK(port.write(kRegisterWindowAccess, 0b10'01'11'00) == 0);
  const auto out = port.file_.outputs();
  CHECK(out.read_windows[1].open);
  CHECK(out.write_windows[1].open);
  CHECK(out.read_windows[2].open);
  CHECK_FALSE(out.write_windows[2].open);
  CHECK_FALSE(out.read_windows[3].open);
  CHECK(out.write_windows[3].open);
  CHECK_FALSE(out.read_windows[0].open);
  CHECK(out.write_windows[3].base.value() == 0x3'0000'3000);
  CHECK(out.write_windows[3].end.value() == 0x4'0000'3800);
}

TEST_CASE("patience with neighbours outlasts a reset, and links shows who offers a beat",
          "[registers]") {
  Port port;
  CHECK(port.read(kRegisterLinkPatience) == 0);
  CHECK(port.write(kRegisterLinkPatience, 0xfedc'ba98) == 0);
  auto in = port.idle_;
  in.clear = UInt1(1);
  port.clock(in);
  CHECK(port.read(kRegisterLinkPatience) == 0xfedc'ba98);
  CHECK(port.file_.outputs().link_patience.value() == 0xfedc'ba98);
  CHECK(port.read(kRegisterLinks) == 0);
  port.idle_.links = UInt<2>(2);
  CHECK(port.read(kRegisterLinks) == 2);
}

TEST_CASE("commands to the device last one clock", "[registers]") {
  Port port;
  CHECK(port.write(kRegisterControl, 0) == 0);
  CHECK(port.resets_ == 0);
  CHECK(port.write(kRegisterControl, 1) == 0);
  CHECK(port.resets_ == 1);
  CHECK(port.write(kRegisterResume, 0) == 0);
  CHECK(port.resumes_ == 1);
}

TEST_CASE("an interrupt stays until cleared, and reaches the pin if enabled", "[registers]") {
  Port port;
  auto in = port.idle_;
  in.interrupts = UInt<3>(2);
  port.clock(in);
  CHECK_FALSE(port.file_.outputs().interrupt);
  CHECK(port.read(kRegisterInterruptStatus) == 2);
  CHECK(port.write(kRegisterInterruptEnable, 6) == 0);
  CHECK(port.file_.outputs().interrupt);
  CHECK(port.write(kRegisterInterruptStatus, 5) == 0);
  CHECK(port.file_.outputs().interrupt);
  CHECK(port.write(kRegisterInterruptStatus, 2) == 0);
  CHECK_FALSE(port.file_.outputs().interrupt);
}

TEST_CASE("counters count, and reading both words gives one snapshot", "[registers]") {
  Port port;
  auto in = port.idle_;
  in.counts = UInt<kCounters>(1 << kCountRows);
  for (int i = 0; i < 1000; ++i) port.clock(in);
  const int rows = kRegisterCounters + 8 * kCountRows;
  CHECK(port.read(rows) == 1000);
  CHECK(port.read(rows + 4) == 0);
  CHECK(port.read(kRegisterCounters + 8 * kCountCycles) == 0);
  in = port.idle_;
  in.clear = UInt1(1);
  port.clock(in);
  CHECK(port.read(rows) == 0);
}

TEST_CASE("the register file answers SLVERR outside its registers", "[registers]") {
  Port port;
  constexpr unsigned kSlaveError = 2;
  port.read(kRegisterControl, kSlaveError);
  port.read(kRegisterResume, kSlaveError);
  port.read(kRegisterLinks + 4, kSlaveError);
  port.read(kRegisterCounters + 8 * kCounters, kSlaveError);
  port.read(kRegisterRingTail + 1, kSlaveError);
  port.read(0xffc, kSlaveError);
  CHECK(port.write(kRegisterIdentity, 1) == kSlaveError);
  CHECK(port.write(kRegisterStatus, 1) == kSlaveError);
  CHECK(port.write(kRegisterRingHead, 1) == kSlaveError);
  CHECK(port.write(kRegisterMarker, 1) == kSlaveError);
  CHECK(port.write(kRegisterLinks, 1) == kSlaveError);
  CHECK(port.write(kRegisterCounters, 1) == kSlaveError);
  CHECK(port.write(0x900, 1) == kSlaveError);
  CHECK(port.write(kRegisterRingTail + 2, 9) == kSlaveError);
  CHECK(port.write(kRegisterRingTail, 9, 7) == kSlaveError);
  CHECK(port.read(kRegisterRingTail) == 0);
}

TEST_CASE("a register takes each of its bits and refuses every other", "[registers]") {
  constexpr unsigned kSlaveError = 2;
  for (const auto& [offset, bits] : device::kWritableRegisters) {
    const bool reads_back = offset != kRegisterControl && offset != kRegisterResume &&
                            offset != kRegisterInterruptStatus;
    for (int bit = 0; bit < 32; ++bit) {
      const std::uint32_t value = std::uint32_t{1} << bit;
      INFO("offset " << offset << ", bit " << bit);
      Port port;
      const bool takes = (bits & value) != 0;
      CHECK(port.write(offset, value) == (takes ? 0 : kSlaveError));
      if (reads_back) CHECK(port.read(offset) == (takes ? value : 0));
      CHECK(port.resets_ == (takes && offset == kRegisterControl));
    }
  }
}

TEST_CASE("a ring takes 2^23 commands at a multiple of 16, and no other", "[registers]") {
  constexpr unsigned kSlaveError = 2;
  Port port;
  CHECK(port.write(kRegisterRingLog2, 23) == 0);
  CHECK(port.write(kRegisterRingLog2, 24) == kSlaveError);
  CHECK(port.write(kRegisterRingLog2, 32) == kSlaveError);
  CHECK(port.read(kRegisterRingLog2) == 23);
  CHECK(port.write(kRegisterRingBaseLow, 0x1230) == 0);
  CHECK(port.write(kRegisterRingBaseLow, 0x1238) == kSlaveError);
  CHECK(port.file_.outputs().ring.base.value() == 0x1230);
}

TEST_CASE("the doorbell is refused during a reset, other registers are not", "[registers]") {
  constexpr unsigned kSlaveError = 2;
  Port port;
  port.idle_.status = UInt<4>(1 << kStatusResetting);
  CHECK(port.write(kRegisterRingTail, 1) == kSlaveError);
  CHECK(port.write(kRegisterRingLog2, 3) == 0);
  port.idle_.status = UInt<4>(0);
  port.idle_.clear = UInt1(1);  // the reset's last clock, in which the tail is dropped
  CHECK(port.write(kRegisterRingTail, 1) == kSlaveError);
  port.idle_.clear = UInt1(0);
  CHECK(port.write(kRegisterRingTail, 1) == 0);
  CHECK(port.read(kRegisterRingTail) == 1);
}

}  // namespace
}  // namespace systole::tests
