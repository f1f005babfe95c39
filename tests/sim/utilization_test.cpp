// The array's utilisation by products, including memory: on the RTL, 16 x 16, bf16.
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "host/device/device.h"
#include "host/device/queue.h"

namespace systole {
namespace {

constexpr int kArraySize = 16;

/// A device with a queue, and the utilisation of its products.
struct Bench {
  Device device = Device::open("rtl", {.array_size = kArraySize});
  Queue queue = device.make_queue();

  Buffer matrix(std::int64_t rows, std::int64_t cols, std::int64_t element_bytes) {
    return device.allocate(rows * cols * element_bytes);
  }
  void cubes(std::int64_t size, int count) {
    for (int i = 0; i < count; ++i) {
      queue.matmul({.a = matrix(size, size, 2),
                    .b = matrix(size, size, 2),
                    .c = matrix(size, size, 4),
                    .rows = size,
                    .depth = size,
                    .cols = size});
    }
  }
  double used() {
    queue.wait();
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

TEST_CASE("queued products of 64 use 80 percent of the array and more", "[utilization]") {
  Bench bench;
  bench.cubes(64, 16);
  CHECK(bench.used() > 0.80);
}

TEST_CASE("a step of the MNIST MLP uses 90 percent of the array and more", "[utilization]") {
  constexpr std::int64_t kBatch = 128, kInputs = 784, kHidden = 512, kClasses = 10;
  Bench bench;
  const Buffer x = bench.matrix(kBatch, kInputs, 2), w1 = bench.matrix(kInputs, kHidden, 2),
               b1 = bench.matrix(1, kHidden, 4), y1 = bench.matrix(kBatch, kHidden, 2),
               w2 = bench.matrix(kHidden, kClasses, 2), b2 = bench.matrix(1, kClasses, 4),
               y2 = bench.matrix(kBatch, kClasses, 4), d_y2 = bench.matrix(kBatch, kClasses, 2),
               d_y1 = bench.matrix(kBatch, kHidden, 2), d_w1 = bench.matrix(kInputs, kHidden, 4),
               d_b1 = bench.matrix(1, kHidden, 4), d_w2 = bench.matrix(kHidden, kClasses, 4),
               d_b2 = bench.matrix(1, kClasses, 4);
  Queue& queue = bench.queue;
  queue.matmul({.a = x, .b = w1, .c = y1, .rows = kBatch, .depth = kInputs, .cols = kHidden},
               {.bias = b1, .relu = true, .result = ResultType::kBf16});
  queue.matmul({.a = y1, .b = w2, .c = y2, .rows = kBatch, .depth = kHidden, .cols = kClasses},
               {.bias = b2});
  queue.wait();  // for the loss; the backward pass is another program
  queue.matmul({.a = y1,
                .b = d_y2,
                .c = d_w2,
                .rows = kHidden,
                .depth = kBatch,
                .cols = kClasses,
                .transpose_a = true},
               {.column_sums = d_b2});
  queue.matmul({.a = d_y2,
                .b = w2,
                .c = d_y1,
                .rows = kBatch,
                .depth = kClasses,
                .cols = kHidden,
                .transpose_b = true},
               {.mask = y1, .result = ResultType::kBf16});
  queue.matmul({.a = x,
                .b = d_y1,
                .c = d_w1,
                .rows = kInputs,
                .depth = kBatch,
                .cols = kHidden,
                .transpose_a = true},
               {.column_sums = d_b1});
  CHECK(bench.used() > 0.90);
}

}  // namespace systole
