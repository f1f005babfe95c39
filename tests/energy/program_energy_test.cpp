#include "host/energy/program_energy.h"

#include <catch2/catch.hpp>

namespace systole::energy {
namespace {

const DeviceSizes kSizes{};

Energy price(Action which, std::uint64_t count, double seconds = 0) {
  ActionCounts actions;
  actions[which] = count;
  return energy_of(actions, seconds, kSizes, make_table({}, 16));
}

/// All actions, each another number of times.
ActionCounts many() {
  ActionCounts actions;
  for (std::size_t i = 0; i < kActions; ++i) actions.counts[i] = 1'000 + 37 * i * i;
  return actions;
}

}  // namespace

TEST_CASE("the causes of an energy add up to the whole", "[energy]") {
  const Energy energy = energy_of(many(), 1e-3, kSizes, make_table({}, 16));
  double sum = 0;
  for (std::size_t i = 0; i < kCauses; ++i) {
    CHECK(energy.joules[i] > 0);
    sum += energy.joules[i];
  }
  CHECK(sum == energy.total());
}

TEST_CASE("an energy is the sum of its actions' energies", "[energy]") {
  const ActionCounts actions = many();
  double sum = 0;
  for (std::size_t i = 0; i < kActions; ++i) {
    sum += price(static_cast<Action>(i), actions.counts[i]).total();
  }
  CHECK(energy_of(actions, 0, kSizes, make_table({}, 16)).total() == Approx(sum));
}

TEST_CASE("actions cost what the table says", "[energy]") {
  const Table table = make_table({}, 16);
  CHECK(price(Action::kMultiplyAddsInt8, 1000)[Cause::kArray] == Approx(1e-9 * 0.3));
  CHECK(price(Action::kMultiplyAddsBf16, 1000)[Cause::kArray] ==
        Approx(1e-9 * (table[Cost::kMultiplyBf16].picojoules + 0.9)));
  // A beat of 16 bytes is two words of 64 bits.
  CHECK(price(Action::kStoreBeats, 1000)[Cause::kMemory] == Approx(1e-9 * 2 * 1300));
  CHECK(price(Action::kCommandBeats, 1000)[Cause::kMemory] == Approx(1e-9 * 2 * 1300));
  // A word of a bank: 16 sums of 4 bytes, of 512 rows.
  CHECK(price(Action::kSumReads, 1000)[Cause::kAccumulators] == Approx(1e-9 * 8 * 20));
  CHECK(price(Action::kRowReads, 1000)[Cause::kBuffers] ==
        Approx(1e-9 * 4 * table.sram(256 * 1024)));
  CHECK(price(Action::kVectorOperations, 1000)[Cause::kVector] == Approx(1e-9 * 4.6));
  // A word over a link: 16 lanes of 32 bits at 1.17 pJ, where it is sent.
  CHECK(price(Action::kLinkWordsSent, 1000)[Cause::kLinks] == Approx(1e-9 * 16 * 32 * 1.17));
  CHECK(price(Action::kLinkWordsReceived, 1000).total() == 0);
  CHECK(price(Action::kMultiplyAddsBf16, 0, 2)[Cause::kStatic] == Approx(2 * 26.5 / 64));
}

TEST_CASE("energy in a smaller process is smaller, but for memory's, links' and static power",
          "[energy]") {
  const Energy large = energy_of(many(), 1, kSizes, make_table({.process = "45 nm"}, 16));
  const Energy small = energy_of(many(), 1, kSizes, make_table({.process = "7 nm"}, 16));
  for (const Cause cause : {Cause::kArray, Cause::kAccumulators, Cause::kBuffers, Cause::kVector}) {
    CHECK(small[cause] < large[cause]);
  }
  CHECK(small[Cause::kMemory] == large[Cause::kMemory]);
  CHECK(small[Cause::kLinks] == large[Cause::kLinks]);
  CHECK(small[Cause::kStatic] == large[Cause::kStatic]);
}

namespace {

/// Watts of a TPU v2 by this table, with rows in so many of its clocks and its memory always busy.
double tpu_v2_watts(double busy) {
  constexpr double kClocks = 700e6, kN = 128, kBytes = 428;
  DeviceSizes sizes;
  sizes.array_size = 128;
  sizes.bus_bytes = 4;
  const auto count = [](double value) { return static_cast<std::uint64_t>(value); };
  ActionCounts second;
  second[Action::kMultiplyAddsBf16] = count(busy * kClocks * kN * kN);
  second[Action::kAddsFp32] = count(busy * kClocks * kN);
  second[Action::kSumReads] = second[Action::kSumWrites] = count(busy * kClocks);
  second[Action::kRowReads] = second[Action::kWeightReads] = count(busy * kClocks);
  second[Action::kLoadRowBeats] = count(kClocks * kBytes / 4);
  const Table table = make_table(
      {.process = "16 nm", .memory = "HBM2", .static_watts = 26.5, .static_source = ""}, 128);
  return 2 * energy_of(second, 1, sizes, table).total();
}

}  // namespace

// docs/energy.md says why. Thermal design power: N. P. Jouppi et al., ISCA 2021, table 1. Measured,
// with network, fans and the host's share: D. Patterson et al., arXiv 2104.10350, table 1, at 28.8
// TFLOP/s.
TEST_CASE(
    "a TPU v2 takes 62% less by this table than its thermal design power, and 58% less than "
    "was measured",
    "[energy]") {
  const double peak = tpu_v2_watts(1);
  CHECK(peak == Approx(107.6).epsilon(0.001));
  CHECK(1 - peak / 280 == Approx(0.62).epsilon(0.01));
  const double training = tpu_v2_watts(28.8e12 / (2 * 2 * 128.0 * 128 * 700e6));
  CHECK(training == Approx(97).epsilon(0.01));
  CHECK(1 - training / 229 == Approx(0.58).epsilon(0.01));
}

}  // namespace systole::energy
