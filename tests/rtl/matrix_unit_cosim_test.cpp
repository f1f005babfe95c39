// The generated matrix unit against its own C++: every output port on every clock, under random
// inputs that keep none of the distances which a sequencer would.

#include <catch2/catch.hpp>
#include <memory>

#include "hls/kernels/matrix_unit.h"
#include "sim/verilator/verilated_models.h"
#include "tests/rtl/ports.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr std::uint64_t kSeed = 0x5eed'0021;

template <int kN>
using Unit = kernels::MatrixUnit<kN, kernels::kDefaultBankRows>;

// Mostly ordinary bf16 values, so that sums stay numbers; now and then any bits.
std::uint64_t operand(Random& random) {
  if (random.below(500) == 0) return random.bits16();
  return (random.bits16() & 0x807fu) | (static_cast<unsigned>(random.between(112, 142)) << 7);
}

template <int kN>
typename Unit<kN>::Inputs random_inputs(Random& random) {
  // Few rows, so that operations meet in them.
  const auto row = [&] { return Unit<kN>::Row::from((random.below(2) * 512) + random.below(8)); };
  typename Unit<kN>::Inputs in;
  in.row_valid = UInt1::from(random.below(2));
  in.plane = UInt1::from(random.below(2));
  in.is_int8 = UInt1::from(random.below(3) == 0);
  in.row = row();
  in.accumulate = UInt1::from(random.below(4) != 0);
  in.weight_valid = UInt1::from(random.below(2));
  in.weight_column = UInt<kernels::kHopBits>::from(random.below(kN));
  in.weight_plane = UInt1::from(random.below(2));
  in.preload_valid = UInt1::from(random.below(4) == 0);
  in.preload_row = row();
  in.read_valid = UInt1::from(random.below(2));
  in.read_row = row();
  for (int n = 0; n < kN; ++n) {
    in.activation[n] = UInt16::from(operand(random));
    in.weight[n] = UInt16::from(operand(random));
    in.preload[n] = UInt32::from(operand(random) << 16 | random.bits16());
  }
  return in;
}

template <typename Model, int kN>
void set_ports(Model& model, const typename Unit<kN>::Inputs& in) {
  set_port(model.row_valid_i, in.row_valid);
  set_port(model.activation_i, in.activation);
  set_port(model.plane_i, in.plane);
  set_port(model.is_int8_i, in.is_int8);
  set_port(model.row_i, in.row);
  set_port(model.accumulate_i, in.accumulate);
  set_port(model.weight_valid_i, in.weight_valid);
  set_port(model.weight_i, in.weight);
  set_port(model.weight_column_i, in.weight_column);
  set_port(model.weight_plane_i, in.weight_plane);
  set_port(model.preload_valid_i, in.preload_valid);
  set_port(model.preload_row_i, in.preload_row);
  set_port(model.preload_i, in.preload);
  set_port(model.read_valid_i, in.read_valid);
  set_port(model.read_row_i, in.read_row);
}

template <typename Model, int kN>
class Cosimulation {
 public:
  Cosimulation() : model_(&context_), native_(std::make_unique<Unit<kN>>()) { reset(); }

  void reset() {
    model_.rst_ni = 0;
    for (int edge = 0; edge < 2; ++edge) {
      set_ports<Model, kN>(model_, {});
      settle(model_);
      rise(model_);
      native_->clock({});
    }
    model_.rst_ni = 1;
    native_->reset();
  }

  /// One clock on both. result_o is compared, valid or not, once every register behind it was set.
  void clock(const typename Unit<kN>::Inputs& in) {
    set_ports<Model, kN>(model_, in);
    settle(model_);
    const auto out = native_->clock(in);
    const bool valid = static_cast<bool>(out.result_valid);
    wrong_valid += !same(model_.result_valid_o, out.result_valid);
    wrong_result += ++clocks_ > kSettledClocks && !same(model_.result_o, out.result);
    results += valid;
    rise(model_);
  }

  /// Gives every weight and the accumulator rows in use a value, and lets it arrive.
  void fill(Random& random) {
    for (int i = 0; i < 2 * kN; ++i) {
      auto in = random_inputs<kN>(random);
      in.row_valid = in.preload_valid = in.read_valid = UInt1(0);
      in.weight_valid = UInt1(1);
      in.weight_column = UInt<kernels::kHopBits>::from(static_cast<unsigned>(i % kN));
      in.weight_plane = as_bit(i >= kN);
      clock(in);
    }
    for (unsigned row = 0; row < 16; ++row) {
      auto in = random_inputs<kN>(random);
      in.row_valid = in.weight_valid = in.read_valid = UInt1(0);
      in.preload_valid = UInt1(1);
      in.preload_row = Unit<kN>::Row::from(row % 2 * 512 + row / 2);
      clock(in);
    }
    for (int i = 0; i < Unit<kN>::kArrayCycles + Unit<kN>::kLoopCycles; ++i) clock({});
  }

  int wrong_valid = 0;
  int wrong_result = 0;
  int results = 0;

 private:
  static constexpr int kSettledClocks = 1000;
  int clocks_ = 0;
  VerilatedContext context_;
  Model model_;
  std::unique_ptr<Unit<kN>> native_;
};

template <typename Model, int kN>
void run_random(int clocks) {
  INFO("N " << kN << ", seed " << kSeed);
  Random random(kSeed + kN);
  const auto both = std::make_unique<Cosimulation<Model, kN>>();
  both->fill(random);
  for (int i = 0; i < clocks; ++i) both->clock(random_inputs<kN>(random));
  CHECK(both->wrong_valid == 0);
  CHECK(both->wrong_result == 0);
  CHECK(both->results > clocks / 4);
}

#ifdef SYSTOLE_VERILATED_4
TEST_CASE("RTL and C++ of the 4 x 4 matrix unit agree at every port on every clock", "[cosim]") {
  run_random<Vmatrix_unit_4, 4>(30'000);
}
#endif
#ifdef SYSTOLE_VERILATED_8
TEST_CASE("RTL and C++ of the 8 x 8 matrix unit agree at every port on every clock", "[cosim]") {
  run_random<Vmatrix_unit_8, 8>(15'000);
}
#endif
#ifdef SYSTOLE_VERILATED_16
TEST_CASE("RTL and C++ of the 16 x 16 matrix unit agree at every port on every clock", "[cosim]") {
  run_random<Vmatrix_unit_16, 16>(8'000);
}
#endif

}  // namespace
}  // namespace systole::tests
