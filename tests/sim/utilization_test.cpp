// The array's utilisation by products, including memory: on the RTL, 16 x 16, bf16.
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "host/device/device.h"
#include "tests/host/placed_products.h"

namespace systole {
namespace {

constexpr int kArraySize = 16;

/// A device and products in its memory.
struct Bench {
  Device device = Device::open("rtl", {.array_size = kArraySize});
  std::vector<MemoryBlock> blocks;

  std::uint64_t matrix(std::int64_t rows, std::int64_t cols, std::int64_t element_bytes) {
    return blocks.emplace_back(device.backend().memory(), rows * cols * element_bytes).address();
  }
  void run(const std::vector<Product>& products) {
    tests::run_products(device.backend(), products);
  }
  void cubes(std::int64_t size, std::size_t count) {
    std::vector<Product> products(count);
    for (Product& product : products) {
      product = {.a = matrix(size, size, 2),
                 .b = matrix(size, size, 2),
                 .c = matrix(size, size, 4),
                 .rows = size,
                 .depth = size,
                 .cols = size};
    }
    run(products);
  }
  double used() const {
    const double share = utilization(device.counters(), kArraySize);
    WARN("used " << 100 * share << "% of the array, " << device.counters().cycles() << " cycles");
    return share;
  }
};

}  // namespace

TEST_CASE("a product of 256 uses 95 percent of the array and more", "[utilization]") {
  Bench bench;
  bench.cubes(256, 1);
  CHECK(bench.used() > 0.95);
}

TEST_CASE("a product of 512 uses 95 percent of the array and more", "[utilization]") {
  Bench bench;
  bench.cubes(512, 1);
  CHECK(bench.used() > 0.95);
}

TEST_CASE("a program of products of 64 uses 80 percent of the array and more", "[utilization]") {
  Bench bench;
  bench.cubes(64, 16);
  CHECK(bench.used() > 0.80);
}

TEST_CASE("the products of a step of the MNIST MLP use 90 percent of the array and more",
          "[utilization]") {
  constexpr std::int64_t kBatch = 128, kInputs = 784, kHidden = 512, kClasses = 10;
  constexpr auto kBf16 = device::StoreFormat::kBf16;
  Bench bench;
  const auto x = bench.matrix(kBatch, kInputs, 2), w1 = bench.matrix(kInputs, kHidden, 2),
             b1 = bench.matrix(1, kHidden, 4), y1 = bench.matrix(kBatch, kHidden, 2),
             w2 = bench.matrix(kHidden, kClasses, 2), b2 = bench.matrix(1, kClasses, 4),
             y2 = bench.matrix(kBatch, kClasses, 4), d_y2 = bench.matrix(kBatch, kClasses, 2),
             d_y1 = bench.matrix(kBatch, kHidden, 2), d_w1 = bench.matrix(kInputs, kHidden, 4),
             d_b1 = bench.matrix(1, kHidden, 4), d_w2 = bench.matrix(kHidden, kClasses, 4),
             d_b2 = bench.matrix(1, kClasses, 4);
  bench.run({{.a = x,
              .b = w1,
              .c = y1,
              .bias = b1,
              .rows = kBatch,
              .depth = kInputs,
              .cols = kHidden,
              .relu = true,
              .format = kBf16},
             {.a = y1,
              .b = w2,
              .c = y2,
              .bias = b2,
              .rows = kBatch,
              .depth = kHidden,
              .cols = kClasses}});
  // The loss lies between; the backward pass is another program.
  bench.run({{.a = y1,
              .b = d_y2,
              .c = d_w2,
              .column_sums = d_b2,
              .rows = kHidden,
              .depth = kBatch,
              .cols = kClasses,
              .transpose_a = true},
             {.a = d_y2,
              .b = w2,
              .c = d_y1,
              .mask = y1,
              .rows = kBatch,
              .depth = kClasses,
              .cols = kHidden,
              .transpose_b = true,
              .format = kBf16},
             {.a = x,
              .b = d_y1,
              .c = d_w1,
              .column_sums = d_b1,
              .rows = kInputs,
              .depth = kBatch,
              .cols = kHidden,
              .transpose_a = true}});
  CHECK(bench.used() > 0.90);
}

}  // namespace systole
