// The RTL and the model side by side, on random products: the same bits and the same counters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "host/device/registry.h"
#include "sim/device/by_array_size.h"
#include "tests/host/product_case.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using tests::Operands;
using tests::ProductCase;
using tests::Random;

constexpr std::uint64_t kSeed = 31;
constexpr int kProducts = 150;

const BackendEntry& rtl_entry() {
  return *std::ranges::find(backends(), "rtl",
                            [](const BackendEntry& entry) { return entry.info.name; });
}

Product random_shape(Random& random, int array_size) {
  const auto size = [&] { return random.between(1, random.below(2) ? 3 * array_size : 70); };
  Product shape;
  shape.rows = random.below(20) == 0 ? random.between(500, 1100) : size();
  shape.depth = size();
  shape.cols = size();
  shape.type = random.below(3) == 0 ? DataType::kInt8 : DataType::kBf16;
  shape.transpose_a = random.below(2) != 0;
  shape.transpose_b = random.below(2) != 0;
  shape.accumulate = random.below(2) != 0;
  return shape;
}

}  // namespace

TEST_CASE("rtl and model give the same bits in the same clocks on random products", "[rtl]") {
  for (const int array_size : rtl_entry().array_sizes) {
    const Device rtl = Device::open("rtl", {.array_size = array_size});
    const Device model = Device::open("model", {.array_size = array_size});
    Random random(kSeed);
    for (int i = 0; i < kProducts; ++i) {
      const ProductCase product =
          tests::make_case(random_shape(random, array_size), random.bits(),
                           random.below(2) ? Operands::kAnyBits : Operands::kOrdinary);
      INFO("array " << array_size << ", product " << i << ": " << product.text() << ", seed "
                    << kSeed);
      const Counters before_rtl = rtl.counters();
      const Counters before_model = model.counters();
      REQUIRE(tests::run_case(product, rtl) == tests::run_case(product, model));
      REQUIRE(rtl.counters() - before_rtl == model.counters() - before_model);
    }
  }
}

TEST_CASE("rtl refuses an unbuilt array size and says how to add it", "[rtl]") {
  CHECK(sim::how_to_build(std::array{4, 16}) ==
        "; to add N = 8 or 32, configure with -DSYSTOLE_ARRAYS='4;16;N' and rebuild");
  CHECK(sim::how_to_build(std::array{4, 8, 16, 32}) == "");

  const std::vector<int>& built = rtl_entry().array_sizes;
  for (const int array_size : {5, 8, 32, 64}) {
    if (std::ranges::count(built, array_size) != 0) continue;
    CHECK_THROWS_WITH(Device::open("rtl", {.array_size = array_size}),
                      fmt::format("device 'rtl' has no {0} x {0} array: N can be {1}{2}",
                                  array_size, fmt::join(built, ", "), sim::how_to_build(built)));
  }
}

}  // namespace systole
