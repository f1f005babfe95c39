#include "host/nn/products/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "host/cpu/parallel.h"
#include "host/device/convert.h"
#include "host/nn/numbers/generator.h"
#include "host/nn/products/operand_store.h"

namespace systole::nn {
namespace {

// Adds its lifetime to a sum, however the block is left.
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

// A product sums along the depth, so scales go by rows of op(A) and columns of op(B).
ScaleBy rows_of_c(bool transpose_a) { return transpose_a ? ScaleBy::kColumn : ScaleBy::kRow; }
ScaleBy cols_of_c(bool transpose_b) { return transpose_b ? ScaleBy::kRow : ScaleBy::kColumn; }

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

Multiplier::Multiplier(const Device& device, DataType precision, std::uint64_t seed)
    : device_(device),
      queue_(device.make_queue()),
      precision_(precision),
      seed_(seed),
      operands_(std::make_shared<OperandStore>()) {
  if (!device.supports(precision)) {
    throw std::invalid_argument(
        fmt::format("device '{}' does not multiply {}: use bf16 or int8, or the cpu for fp32",
                    device.info().name, to_string(precision)));
  }
}

void Multiplier::start_step(std::int64_t step) {
  step_ = static_cast<std::uint64_t>(step);
  loads_ = 0;
}

void Multiplier::load(Operand& operand, std::span<const float> values, Rounding rounding) {
  if (precision_ != DataType::kBf16) {
    load_bias(operand, values);
    operand.seed_.reset();
    if (rounding == Rounding::kStochastic) {
      operand.seed_ = Generator(seed_, step_ << 32 | ++loads_).next();
    }
    return;
  }
  load_words(operand, static_cast<std::int64_t>(values.size()),
             [&](std::span<std::uint16_t> words) { round_to_bf16(values, words); });
}

void Multiplier::round_to_bf16(std::span<const float> values,
                               std::span<std::uint16_t> words) const {
  constexpr std::size_t kPart = std::size_t{1} << 18;  // less is not worth a thread
  const auto parts = static_cast<std::int64_t>((values.size() + kPart - 1) / kPart);
  graph::for_each_part(device_.info().threads, parts, [&](std::int64_t part) {
    const std::size_t first = static_cast<std::size_t>(part) * kPart;
    const std::size_t count = std::min(kPart, values.size() - first);
    convert_to_bf16(values.subspan(first, count), words.subspan(first, count));
  });
}

std::span<std::byte> Multiplier::place_for(Operand& operand, std::int64_t size) {
  if (precision_ != DataType::kBf16) {
    throw std::invalid_argument(
        fmt::format("a multiplier in {} got an operand in bf16", to_string(precision_)));
  }
  operand.size_ = size;
  const std::int64_t size_bytes = size * operand_size_bytes(precision_);
  need_bytes(operand.buffer_, size_bytes);
  const auto bytes = queue_.in_place(operand.buffer_, static_cast<std::size_t>(size_bytes));
  if (!bytes.empty()) return bytes;
  if (std::ssize(bf16_) < size) bf16_.resize(static_cast<std::size_t>(size));
  return std::as_writable_bytes(std::span(bf16_).first(static_cast<std::size_t>(size)));
}

void Multiplier::finish_load(const Operand& operand, std::span<const std::byte> bytes) {
  if (bytes.data() != std::as_bytes(std::span(bf16_)).data()) return;
  const Stopwatch stopwatch(device_wall_seconds_);
  queue_.copy_to_device(bytes, operand.buffer_);
}

void Multiplier::load_bias(Operand& bias, std::span<const float> values) {
  bias.size_ = static_cast<std::int64_t>(values.size());
  if (precision_ != DataType::kInt8) return copy_to_device(std::as_bytes(values), bias.buffer_);
  bias.values_.assign(values.begin(), values.end());
  for (Operand::Int8Form& form : bias.forms_) form.rows = 0;
}

void Multiplier::multiply(const Product& product, std::span<float> result, const Finish& finish) {
  check_sizes(product, static_cast<std::int64_t>(result.size()));
  need_bytes(result_, product.rows * product.cols * kSumSizeBytes);
  queue_.matmul(matmul(product, result_), epilogue(finish), Place::kAhead);
  if (!keeps_results()) {
    run();
    return fetch(read_of(product, result_, result));
  }
  const Stopwatch stopwatch(device_wall_seconds_);
  queue_.wait_into(result_, std::as_writable_bytes(result));
}

void Multiplier::multiply(const Product& product, const Finish& finish, Operand& result) {
  if (!keeps_results()) throw std::invalid_argument("int8 sums do not stay on the device");
  const std::int64_t size = product.rows * product.cols;
  check_sizes(product, size);
  Epilogue steps = epilogue(finish);
  if (precision_ == DataType::kBf16) steps.result = ResultType::kBf16;
  need_bytes(result.buffer_, size * operand_size_bytes(precision_));
  result.size_ = size;
  queue_.matmul(matmul(product, result.buffer_), steps, Place::kEnd);
}

void Multiplier::multiply(const Product& product, GradientBuffers& buffers, std::span<float> result,
                          std::span<float> column_sums) {
  check_sizes(product, static_cast<std::int64_t>(result.size()));
  const auto not_read = [&](const Read& read) { return read.buffer == buffers.sums_; };
  if (std::ranges::any_of(reads_, not_read)) wait();
  need_bytes(buffers.sums_, product.rows * product.cols * kSumSizeBytes);
  Epilogue steps;
  if (!column_sums.empty()) {
    need_bytes(buffers.column_sums_, product.cols * kSumSizeBytes);
    steps.column_sums = buffers.column_sums_;
  }
  queue_.matmul(matmul(product, buffers.sums_), steps, Place::kAhead);
  reads_.push_back(read_of(product, buffers.sums_, result));
  if (column_sums.empty()) return;
  Read sums{buffers.column_sums_, column_sums};
  if (!keeps_results()) {
    sums.row_scales = {1.0f};
    sums.col_scales = reads_.back().col_scales;
  }
  reads_.push_back(std::move(sums));
}

void Multiplier::wait() {
  run();
  for (const Read& read : std::exchange(reads_, {})) fetch(read);
}

Matmul Multiplier::matmul(const Product& product, const Buffer& c) {
  const auto [ta, tb] = std::pair(product.transpose_a, product.transpose_b);
  const auto [rows, depth, cols] = std::tuple(product.rows, product.depth, product.cols);
  const bool is_int8 = precision_ == DataType::kInt8;
  if (is_int8) {
    need_form(product.a, rows_of_c(ta), ta ? depth : rows, ta ? rows : depth);
    need_form(product.b, cols_of_c(tb), tb ? cols : depth, tb ? depth : cols);
  }
  return {.a = is_int8 ? product.a.form(rows_of_c(ta)).buffer : product.a.buffer_,
          .b = is_int8 ? product.b.form(cols_of_c(tb)).buffer : product.b.buffer_,
          .c = c,
          .rows = rows,
          .depth = depth,
          .cols = cols,
          .type = precision_,
          .transpose_a = ta,
          .transpose_b = tb};
}

Multiplier::Read Multiplier::read_of(const Product& product, const Buffer& c,
                                     std::span<float> values) const {
  Read read{c, values};
  if (precision_ == DataType::kInt8) {
    read.row_scales = product.a.form(rows_of_c(product.transpose_a)).scales;
    read.col_scales = product.b.form(cols_of_c(product.transpose_b)).scales;
  }
  return read;
}

void Multiplier::need_form(const Operand& operand, ScaleBy by, std::int64_t rows,
                           std::int64_t cols) {
  Operand::Int8Form& form = operand.form(by);
  if (form.rows == rows) return;
  const MatrixValues matrix{operand.values_, rows, cols};
  const int threads = device_.info().threads;
  form.scales = scales_of(matrix, by, threads);
  std::optional<std::uint64_t> seed = operand.seed_;
  if (seed) *seed += by == ScaleBy::kRow ? 0 : 1;
  int8_.resize(operand.values_.size());
  quantize(matrix, by, form.scales, seed, int8_, threads);
  copy_to_device(std::as_bytes(std::span(int8_)), form.buffer);
  form.rows = rows;
}

void Multiplier::fetch(const Read& read) {
  if (precision_ != DataType::kInt8) {
    return copy_to_host(read.buffer, std::as_writable_bytes(read.values));
  }
  int32_.resize(read.values.size());
  copy_to_host(read.buffer, std::as_writable_bytes(std::span(int32_)));
  scale_sums(int32_, read.row_scales, read.col_scales, read.values, device_.info().threads);
}

Epilogue Multiplier::epilogue(const Finish& finish) const {
  if (!keeps_results() && (finish.bias || finish.relu || finish.mask)) {
    throw std::invalid_argument("int8 sums leave the device before a bias, a ReLU or a mask");
  }
  Epilogue epilogue{.mask_type = precision_, .relu = finish.relu};
  if (finish.bias != nullptr) epilogue.bias = finish.bias->buffer_;
  if (finish.mask != nullptr) epilogue.mask = finish.mask->buffer_;
  return epilogue;
}

void Multiplier::copy_to_device(std::span<const std::byte> bytes, Buffer& buffer) {
  need_bytes(buffer, static_cast<std::int64_t>(bytes.size()));
  const Stopwatch stopwatch(device_wall_seconds_);
  queue_.copy_to_device(bytes, buffer);
}

void Multiplier::copy_to_host(const Buffer& buffer, std::span<std::byte> bytes) {
  const Stopwatch stopwatch(device_wall_seconds_);
  queue_.copy_to_host(buffer, bytes);
}

void Multiplier::need_bytes(Buffer& buffer, std::int64_t size_bytes) const {
  if (buffer.size_bytes() < size_bytes) buffer = device_.allocate(size_bytes);
}

void Multiplier::run() {
  const Stopwatch stopwatch(device_wall_seconds_);
  queue_.wait();
}

}  // namespace systole::nn
