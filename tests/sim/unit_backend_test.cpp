// The harness over the HLS C++ run natively, as a device: its bits against the oracle, its clocks
// against the recurrence, and what it does when the unit misbehaves.
#include "sim/device/unit_backend.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/driver/registry.h"
#include "sim/device/cycle_count.h"
#include "sim/device/native_unit.h"
#include "tests/host/product_case.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using tests::Operands;
using tests::ProductCase;
using tests::Random;

constexpr std::uint64_t kSeed = 7;

template <typename Unit>
std::shared_ptr<Backend> make_backend(const char* name, std::unique_ptr<Unit> unit) {
  DeviceInfo info;
  info.name = name;
  info.array_size = Unit::kN;
  return std::make_shared<UnitBackend<Unit>>(info, std::move(unit));
}

/// A unit whose registers hold what random beats left in them.
template <int kN>
std::unique_ptr<NativeUnit<kN>> make_used_unit(std::uint64_t seed) {
  auto unit = std::make_unique<NativeUnit<kN>>();
  Random random(seed);
  std::vector<std::uint16_t> lanes(kN);
  std::vector<std::uint32_t> sums(kN);
  for (int clock = 0; clock < 40 * kN; ++clock) {
    for (auto& lane : lanes) lane = random.bits16();
    for (auto& sum : sums) sum = random.bits32();
    Beat beat;
    if (random.below(2) != 0) beat.activation = lanes.data();
    if (random.below(2) != 0) beat.weight = lanes.data();
    if (random.below(2) != 0) beat.preload = sums.data();
    beat.row = static_cast<std::uint16_t>(random.below(1024));
    beat.preload_row = static_cast<std::uint16_t>(random.below(1024));
    beat.read_row = static_cast<std::uint16_t>(random.below(1024));
    beat.weight_column = static_cast<std::uint8_t>(random.below(kN));
    beat.plane = random.below(2) != 0;
    beat.is_int8 = random.below(2) != 0;
    beat.accumulate = random.below(2) != 0;
    beat.weight_plane = random.below(2) != 0;
    beat.read_valid = random.below(2) != 0;
    unit->tick(beat);
  }
  return unit;
}

/// A native device whose unit is used already; registered once for the whole program.
Device open_native(int array_size) {
  static const bool registered = [] {
    BackendEntry entry;
    entry.info.name = "native";
    entry.array_sizes = {4, 8};
    entry.make = [](const DeviceOptions& options) -> std::shared_ptr<Backend> {
      if (options.array_size == 4) return make_backend("native", make_used_unit<4>(kSeed));
      return make_backend("native", make_used_unit<8>(kSeed));
    };
    register_backend(entry);
    return true;
  }();
  CHECK(registered);
  return Device::open("native", {.array_size = array_size});
}

void check_shapes(int array_size, std::size_t sample, Operands operands) {
  const Device device = open_native(array_size);
  const UnitTiming timing = unit_timing(array_size);
  for (const Matmul& shape : tests::conformance_shapes(array_size, kSeed, sample)) {
    const ProductCase product = tests::make_case(shape, kSeed, operands);
    INFO("array " << array_size << ", " << product.text() << ", seed " << kSeed);
    const Counters before = device.counters();
    REQUIRE(tests::run_case(product, device) == tests::reference_case(product, array_size));
    const Tiling tiling(shape.rows, shape.depth, shape.cols, array_size, timing.bank_rows);
    REQUIRE(device.counters() - before == count_cycles(tiling, timing, shape.accumulate));
  }
}

/// Drops a result now and then, or invents one.
template <bool kInvents>
class FaultyUnit {
 public:
  static constexpr int kN = 4;
  static constexpr int kBankRows = kernels::kDefaultBankRows;
  void reset() { native_.reset(); }
  bool tick(const Beat& beat) {
    const bool returned = native_.tick(beat);
    ++ticks_;
    return kInvents ? returned || ticks_ == 3 : returned && ticks_ % 7 != 0;
  }
  const std::uint32_t* result() const { return native_.result(); }

 private:
  NativeUnit<4> native_;
  int ticks_ = 0;
};

template <bool kInvents>
std::string fault_of() {
  auto backend = make_backend("faulty", std::make_unique<FaultyUnit<kInvents>>());
  const std::vector<std::byte> operands(20 * 20 * 2);
  Matmul product;
  product.a = Buffer(backend, backend->allocate(800), 800);
  product.b = Buffer(backend, backend->allocate(800), 800);
  product.c = Buffer(backend, backend->allocate(1600), 1600);
  product.rows = product.depth = product.cols = 20;
  try {
    backend->execute(std::vector{Product{product}});
  } catch (const DeviceError& fault) {
    return fault.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("the native unit gives the oracle's bits in the predicted clocks", "[unit_backend]") {
  check_shapes(4, 0, Operands::kOrdinary);
  check_shapes(8, 100, Operands::kOrdinary);
}

TEST_CASE("the native unit gives the oracle's bits for operands of any bits", "[unit_backend]") {
  check_shapes(4, 200, Operands::kAnyBits);
  check_shapes(8, 60, Operands::kAnyBits);
}

TEST_CASE("the native unit multiplies more rows than a bank holds", "[unit_backend]") {
  const Device device = open_native(4);
  Matmul shape;
  shape.rows = 1100;
  shape.depth = 6;
  shape.cols = 9;
  for (const bool accumulate : {false, true}) {
    shape.accumulate = accumulate;
    const ProductCase product = tests::make_case(shape, kSeed);
    CHECK(tests::run_case(product, device) == tests::reference_case(product, 4));
  }
}

TEST_CASE("a unit that drops a row is reported with the engines' states", "[unit_backend]") {
  const std::string fault = fault_of<false>();
  INFO(fault);
  CHECK(fault.find("hangs") != std::string::npos);
  CHECK(fault.find("results job") != std::string::npos);
}

TEST_CASE("a unit that returns a row nobody read is reported", "[unit_backend]") {
  const std::string fault = fault_of<true>();
  INFO(fault);
  CHECK(fault.find("was not read") != std::string::npos);
}

}  // namespace systole
