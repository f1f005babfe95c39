// The adapter to Verilator's ports, over a stand-in that has such ports and the native unit inside:
// lanes, addresses and edges arrive as they were sent. The Verilated units themselves are compared
// with the native ones in tests/rtl.
#include "sim/verilator/verilated_unit.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/device/native_unit.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using tests::Random;

/// Ports as Verilator lays them out for N = 8: words for wide ones, integers for narrow ones.
struct PortsOf8 {
  std::uint8_t clk_i = 0, rst_ni = 0;
  std::uint8_t row_valid_i = 0, plane_i = 0, is_int8_i = 0, accumulate_i = 0;
  std::uint16_t row_i = 0;
  std::array<std::uint32_t, 4> activation_i{};
  std::uint8_t weight_valid_i = 0, weight_column_i = 0, weight_plane_i = 0;
  std::array<std::uint32_t, 4> weight_i{};
  std::uint8_t preload_valid_i = 0;
  std::uint16_t preload_row_i = 0;
  std::array<std::uint32_t, 8> preload_i{};
  std::uint8_t read_valid_i = 0;
  std::uint16_t read_row_i = 0;
  std::uint8_t result_valid_o = 0;
  std::array<std::uint32_t, 8> result_o{};
};

class StandIn : public PortsOf8 {
 public:
  void eval() {
    const bool rising = clk_i != 0 && last_clock_ == 0;
    last_clock_ = clk_i;
    if (!rising) return;
    if (rst_ni == 0) {
      unit_.reset();
      result_valid_o = 0;
      return;
    }
    in_.row_valid = UInt1::from(row_valid_i);
    in_.plane = UInt1::from(plane_i);
    in_.is_int8 = UInt1::from(is_int8_i);
    in_.accumulate = UInt1::from(accumulate_i);
    in_.row = Unit::Row::from(row_i);
    in_.weight_valid = UInt1::from(weight_valid_i);
    in_.weight_column = hls::UInt<kernels::kHopBits>::from(weight_column_i);
    in_.weight_plane = UInt1::from(weight_plane_i);
    in_.preload_valid = UInt1::from(preload_valid_i);
    in_.preload_row = Unit::Row::from(preload_row_i);
    in_.read_valid = UInt1::from(read_valid_i);
    in_.read_row = Unit::Row::from(read_row_i);
    for (std::size_t n = 0; n < 8; ++n) {
      const auto lane = static_cast<int>(n);
      in_.activation[lane] = hls::UInt16::from(activation_i[n / 2] >> (16 * (n % 2)));
      in_.weight[lane] = hls::UInt16::from(weight_i[n / 2] >> (16 * (n % 2)));
      in_.preload[lane] = hls::UInt32::from(preload_i[n]);
    }
    // Outputs are registers: what the unit returns at an edge is seen after the one before it.
    unit_.clock(in_);
    Unit peek = unit_;
    const auto out = peek.clock({});
    result_valid_o = static_cast<std::uint8_t>(out.result_valid.value());
    for (std::size_t n = 0; n < 8; ++n) {
      result_o[n] = static_cast<std::uint32_t>(out.result[static_cast<int>(n)].value());
    }
  }

 private:
  using UInt1 = hls::UInt1;
  using Unit = kernels::MatrixUnit<8, kernels::kDefaultBankRows>;
  Unit unit_;
  Unit::Inputs in_{};
  std::uint8_t last_clock_ = 0;
};

}  // namespace

TEST_CASE("a Verilated unit's ports get the beats that a native unit gets", "[verilated_unit]") {
  constexpr std::uint64_t kSeed = 5;
  INFO("seed " << kSeed);
  Random random(kSeed);
  VerilatedUnit<StandIn, 8> verilated(std::make_unique<StandIn>());
  NativeUnit<8> native;
  verilated.reset();
  native.reset();
  std::array<std::uint16_t, 8> activation{}, weight{};
  std::array<std::uint32_t, 8> preload{};
  int results = 0;
  for (int clock = 0; clock < 400; ++clock) {
    INFO("clock " << clock);
    for (auto& lane : activation) lane = random.bits16();
    for (auto& lane : weight) lane = random.bits16();
    for (auto& lane : preload) lane = random.bits32();
    Beat beat;
    if (random.below(4) != 0) beat.activation = activation.data();
    if (random.below(4) != 0) beat.weight = weight.data();
    if (random.below(4) != 0) beat.preload = preload.data();
    beat.read_valid = random.below(2) != 0;
    beat.row = static_cast<std::uint16_t>(random.below(16) * 64);
    beat.preload_row = static_cast<std::uint16_t>(random.below(16) * 64);
    beat.read_row = static_cast<std::uint16_t>(random.below(16) * 64);
    beat.weight_column = static_cast<std::uint8_t>(random.below(8));
    beat.plane = random.below(2) != 0;
    beat.is_int8 = random.below(2) != 0;
    beat.accumulate = random.below(2) != 0;
    beat.weight_plane = random.below(2) != 0;
    const bool returned = native.tick(beat);
    REQUIRE(verilated.tick(beat) == returned);
    if (!returned) continue;
    ++results;
    for (int n = 0; n < 8; ++n) REQUIRE(verilated.result()[n] == native.result()[n]);
  }
  CHECK(results > 100);
}

}  // namespace systole
