// Compares the model's products with Eigen's in fp32: same shapes, same threads, same run.
//
// Units    GFLOP/s: two operations for each useful multiply-add, whatever the type
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sim/model/model_matmul.h"

namespace systole::bench {
namespace {

struct Shape {
  std::int64_t rows, depth, cols;
  bool transpose_a, transpose_b;

  std::string text() const {
    return std::to_string(rows) + "x" + std::to_string(depth) + "x" + std::to_string(cols) +
           (transpose_a ? "/At" : "") + (transpose_b ? "/Bt" : "");
  }
};

// A step of mnist-mlp at batch 128 (forward, dW, dX), then squares; then 3 x 3 convolutions of few
// channels on 128 images of CIFAR-10: the first's forward and dW, the second's forward, dW and dX.
constexpr Shape kShapes[] = {
    {128, 784, 512, false, false},   {784, 128, 512, true, false},
    {128, 512, 10, false, false},    {512, 128, 10, true, false},
    {128, 10, 512, false, true},     {256, 256, 256, false, false},
    {512, 512, 512, false, true},    {1024, 1024, 1024, false, false},
    {131072, 27, 16, false, false},  {27, 131072, 16, true, false},
    {131072, 144, 16, false, false}, {144, 131072, 16, true, false},
    {131072, 16, 144, false, true},
};

void count_operations(benchmark::State& state, const Shape& shape) {
  const double operations = 2.0 * static_cast<double>(shape.rows) *
                            static_cast<double>(shape.depth) * static_cast<double>(shape.cols);
  state.counters["GFLOP/s"] =
      benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void run_model(benchmark::State& state, const Shape& shape, DataType type, int size, int threads,
               const BlockKernels& kernels) {
  const Product product{.rows = shape.rows,
                        .depth = shape.depth,
                        .cols = shape.cols,
                        .type = type,
                        .transpose_a = shape.transpose_a,
                        .transpose_b = shape.transpose_b};
  const std::vector<ProductSpan> sizes = spans(product);
  std::minstd_rand random(1);
  const auto operand = [&](std::int64_t bytes) {
    std::vector<std::byte> filled(static_cast<std::size_t>(bytes));
    // Small values of either sign: bf16 of exponent 0x3f, and int8 likewise.
    for (std::size_t i = 0; i < filled.size(); ++i) {
      filled[i] = static_cast<std::byte>(i % 2 ? 0x3f | (random() & 0x80) : random() & 0xff);
    }
    return filled;
  };
  const std::vector<std::byte> a = operand(sizes[0].range.size_bytes);
  const std::vector<std::byte> b = operand(sizes[1].range.size_bytes);
  // At a multiple of 64 bytes, as device memory is.
  std::vector<std::uint32_t> room(static_cast<std::size_t>(shape.rows * shape.cols) + 16);
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(room.data()) / 4 % 16;
  const std::span<std::uint32_t> c = std::span(room).subspan(skipped, room.size() - 16);
  ModelMatmul matmul(size, threads, kernels);
  for (auto _ : state) {
    matmul(product, a, b, c);
    benchmark::DoNotOptimize(c.data());
  }
  count_operations(state, shape);
}

void run_eigen(benchmark::State& state, const Shape& shape, int threads) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::setNbThreads(threads);
  const Matrix a = shape.transpose_a ? Matrix::Random(shape.depth, shape.rows)
                                     : Matrix::Random(shape.rows, shape.depth);
  const Matrix b = shape.transpose_b ? Matrix::Random(shape.cols, shape.depth)
                                     : Matrix::Random(shape.depth, shape.cols);
  Matrix c(shape.rows, shape.cols);
  for (auto _ : state) {
    if (shape.transpose_a) {
      c.noalias() = a.transpose() * b;
    } else if (shape.transpose_b) {
      c.noalias() = a * b.transpose();
    } else {
      c.noalias() = a * b;
    }
    benchmark::DoNotOptimize(c.data());
  }
  count_operations(state, shape);
}

void register_all() {
  const auto add = [](const std::string& name, auto&& run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->MinTime(0.2)->UseRealTime();
  };
  for (const Shape& shape : kShapes) {
    for (const int threads : {1, 2}) {
      const std::string tail = shape.text() + "/threads:" + std::to_string(threads);
      add("eigen/fp32/" + tail, [=](benchmark::State& state) { run_eigen(state, shape, threads); });
      for (const BlockKernels& kernels : block_kernels()) {
        if (std::string(kernels.name) == "portable") continue;
        for (const int size : {4, 8, 16, 128}) {
          add("model/bf16/" + std::string(kernels.name) + "/N:" + std::to_string(size) + "/" + tail,
              [=](benchmark::State& state) {
                run_model(state, shape, DataType::kBf16, size, threads, kernels);
              });
        }
        add("model/int8/" + std::string(kernels.name) + "/N:16/" + tail,
            [=](benchmark::State& state) {
              run_model(state, shape, DataType::kInt8, 16, threads, kernels);
            });
      }
    }
  }
}

}  // namespace
}  // namespace systole::bench

int main(int argc, char** argv) {
  systole::bench::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
