#include "host/nn/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "host/runtime/convert.h"

namespace systole::nn {
namespace {

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

void check_sizes(const Product& product, std::int64_t result) {
  if (product.a.size() == product.rows * product.depth &&
      product.b.size() == product.depth * product.cols && result == product.rows * product.cols) {
    return;
  }
  throw std::invalid_argument(fmt::format(
      "a product of [{0}, {1}] and [{1}, {2}] got operands of {3} and {4} values and "
      "room for {5}",
      product.rows, product.depth, product.cols, product.a.size(), product.b.size(), result));
}

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
  if (precision_ == DataType::kFp32) return load_bias(operand, values);
  operand.size_ = static_cast<std::int64_t>(values.size());
  staging_.resize(values.size());
  convert_to_bf16(values, staging_);
  copy_to_device(std::as_bytes(std::span(staging_)), operand);
}

void Multiplier::load_bias(Operand& bias, std::span<const float> values) {
  bias.size_ = static_cast<std::int64_t>(values.size());
  copy_to_device(std::as_bytes(values), bias);
}

void Multiplier::multiply(const Product& product, std::span<float> result) {
  check_sizes(product, static_cast<std::int64_t>(result.size()));
  need_bytes(result_, product.rows * product.cols * kSumSizeBytes);
  chain_.push_back({matmul(product, result_), {}});
  run();
  copy_to_host(result_, std::as_writable_bytes(result));
}

const Operand& Multiplier::operand(const Tensor& tensor, Operand& own) {
  if (!tensor.device.is_newest) load(own, tensor.values);
  return loaded(tensor, own);
}

void Multiplier::multiply(const Product& product, const Finish& finish, Tensor& result,
                          bool on_device) {
  const std::int64_t size = product.rows * product.cols;
  check_sizes(product, size);
  Epilogue steps = epilogue(finish);
  if (!on_device) {
    result.resize(product.rows, product.cols);
    need_bytes(result_, size * kSumSizeBytes);
    chain_.push_back({matmul(product, result_), steps});
    run();
    return copy_to_host(result_, std::as_writable_bytes(std::span(result.values)));
  }
  if (precision_ == DataType::kBf16) steps.result = ResultType::kBf16;
  result.rows = product.rows;
  result.row_size = product.cols;
  result.device.is_newest = true;
  Operand& operand = result.device.operand;
  need_bytes(operand.buffer_, size * operand_size_bytes(precision_));
  operand.size_ = size;
  // What this product may wait for is filled up with gradients that are there.
  std::ranges::move(std::exchange(gradients_, {}), std::back_inserter(chain_));
  chain_.push_back({matmul(product, operand.buffer_), steps});
}

void Multiplier::multiply(const Product& product, GradientBuffers& buffers, std::span<float> result,
                          std::span<float> column_sums) {
  check_sizes(product, static_cast<std::int64_t>(result.size()));
  const auto not_read = [&](const Read& read) { return read.buffer == buffers.sums_; };
  if (std::ranges::any_of(reads_, not_read)) wait();
  need_bytes(buffers.sums_, product.rows * product.cols * kSumSizeBytes);
  reads_.push_back({buffers.sums_, result});
  Epilogue steps;
  if (!column_sums.empty()) {
    need_bytes(buffers.column_sums_, product.cols * kSumSizeBytes);
    reads_.push_back({buffers.column_sums_, column_sums});
    steps.column_sums = buffers.column_sums_;
  }
  gradients_.insert(gradients_.begin(), {matmul(product, buffers.sums_), steps});
}

void Multiplier::wait() {
  run();
  for (const Read& read : std::exchange(reads_, {})) {
    copy_to_host(read.buffer, std::as_writable_bytes(read.values));
  }
}

void Multiplier::to_host(Tensor& tensor) {
  if (!tensor.device.is_newest) return;
  run();
  tensor.resize(tensor.rows, tensor.row_size);
  const Buffer& buffer = tensor.device.operand.buffer_;
  if (precision_ == DataType::kFp32) {
    return copy_to_host(buffer, std::as_writable_bytes(std::span(tensor.values)));
  }
  staging_.resize(tensor.values.size());
  copy_to_host(buffer, std::as_writable_bytes(std::span(staging_)));
  convert_to_fp32(staging_, tensor.values);
}

Matmul Multiplier::matmul(const Product& product, const Buffer& c) const {
  return {.a = product.a.buffer_,
          .b = product.b.buffer_,
          .c = c,
          .rows = product.rows,
          .depth = product.depth,
          .cols = product.cols,
          .type = precision_,
          .transpose_a = product.transpose_a,
          .transpose_b = product.transpose_b};
}

Epilogue Multiplier::epilogue(const Finish& finish) const {
  Epilogue epilogue{.mask_type = precision_, .relu = finish.relu};
  if (finish.bias != nullptr) epilogue.bias = finish.bias->buffer_;
  if (finish.mask != nullptr) epilogue.mask = finish.mask->buffer_;
  return epilogue;
}

void Multiplier::copy_to_device(std::span<const std::byte> bytes, Operand& operand) {
  if (is_kept(operand.buffer_)) run();  // products that wait still need what lies there
  need_bytes(operand.buffer_, static_cast<std::int64_t>(bytes.size()));
  const Stopwatch stopwatch(device_wall_seconds_);
  queue_.copy_to_device(bytes, operand.buffer_).wait();
}

void Multiplier::copy_to_host(const Buffer& buffer, std::span<std::byte> bytes) {
  const Stopwatch stopwatch(device_wall_seconds_);
  queue_.copy_to_host(buffer, bytes).wait();
}

void Multiplier::need_bytes(Buffer& buffer, std::int64_t size_bytes) const {
  if (buffer.size_bytes() < size_bytes) buffer = device_.allocate(size_bytes);
}

bool Multiplier::is_kept(const Buffer& buffer) const {
  const auto touches = [&](const Kept& kept) {
    return kept.matmul.a == buffer || kept.matmul.b == buffer || kept.matmul.c == buffer ||
           kept.epilogue.bias == buffer || kept.epilogue.mask == buffer ||
           kept.epilogue.column_sums == buffer;
  };
  return buffer &&
         (std::ranges::any_of(chain_, touches) || std::ranges::any_of(gradients_, touches));
}

void Multiplier::run() {
  std::vector<Kept> products = std::exchange(chain_, {});
  std::ranges::move(std::exchange(gradients_, {}), std::back_inserter(products));
  if (products.empty()) return;
  const Stopwatch stopwatch(device_wall_seconds_);
  for (const Kept& kept : products) queue_.matmul(kept.matmul, kept.epilogue);
  queue_.wait();
}

}  // namespace systole::nn
