#include "host/nn/product.h"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <tuple>

#include "host/runtime/convert.h"

namespace systole::nn {
namespace {

void need_bytes(const Device& device, Buffer& buffer, std::int64_t size_bytes) {
  if (buffer.size_bytes() < size_bytes) buffer = device.allocate(size_bytes);
}

// Adds the time from its making to its end to a sum, however the block is left.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), start_(Clock::now()) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point start_;
};

}  // namespace

Multiplier::Multiplier(const Device& device, DataType precision)
    : device_(device), queue_(device.make_queue()), precision_(precision) {
  if (precision == DataType::kInt8) {
    throw std::invalid_argument("training in int8 is not built yet: use bf16 or fp32");
  }
  if (!device.supports(precision)) {
    throw std::invalid_argument(
        fmt::format("device '{}' does not multiply {}: use bf16, or the cpu for fp32",
                    device.info().name, to_string(precision)));
  }
}

void Multiplier::load(Operand& operand, std::span<const float> values) {
  operand.size_ = static_cast<std::int64_t>(values.size());
  need_bytes(device_, operand.buffer_, operand.size_ * operand_size_bytes(precision_));
  if (precision_ == DataType::kFp32) {
    const Stopwatch stopwatch(device_wall_seconds_);
    queue_.copy_to_device(values, operand.buffer_).wait();
    return;
  }
  operand.staging_.resize(values.size());
  convert_to_bf16(values, operand.staging_);
  const Stopwatch stopwatch(device_wall_seconds_);
  queue_.copy_to_device(std::span<const std::uint16_t>(operand.staging_), operand.buffer_).wait();
}

void Multiplier::multiply(const Product& product, std::span<float> result) {
  const auto [rows, depth, cols] = std::tuple(product.rows, product.depth, product.cols);
  if (product.a.size() != rows * depth || product.b.size() != depth * cols ||
      static_cast<std::int64_t>(result.size()) != rows * cols) {
    throw std::invalid_argument(
        fmt::format("a product of [{0}, {1}] and [{1}, {2}] got operands of {3} and {4} values and "
                    "room for {5}",
                    rows, depth, cols, product.a.size(), product.b.size(), result.size()));
  }
  need_bytes(device_, result_, rows * cols * kSumSizeBytes);
  const Stopwatch stopwatch(device_wall_seconds_);
  queue_.matmul({.a = product.a.buffer_,
                 .b = product.b.buffer_,
                 .c = result_,
                 .rows = rows,
                 .depth = depth,
                 .cols = cols,
                 .type = precision_,
                 .transpose_a = product.transpose_a,
                 .transpose_b = product.transpose_b});
  queue_.copy_to_host(result_, result).wait();
}

}  // namespace systole::nn
