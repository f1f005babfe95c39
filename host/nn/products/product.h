#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/device/device.h"
#include "host/device/queue.h"
#include "host/nn/products/operand.h"

namespace systole::nn {

/// C[rows, cols] = op(a)[rows, depth] * op(b)[depth, cols], as in systole::Matmul.
struct Product {
  const Operand& a;
  const Operand& b;
  std::int64_t rows = 0, depth = 0, cols = 0;
  bool transpose_a = false;
  bool transpose_b = false;
};

/// Applied to a product's sums before they leave the device, in this order: bias, ReLU, mask.
struct Finish {
  const Operand* bias = nullptr;  ///< [cols], of load_bias
  bool relu = false;
  const Operand* mask = nullptr;  ///< [rows, cols]: the result is 0 unless it is > 0
};

/// Holds a layer's gradients on the device until they are copied back.
class GradientBuffers {
  friend class Multiplier;
  Buffer sums_, column_sums_;
};

class OperandStore;

/// Sends all of a network's matrix products to its device.
///
/// Shapes   matrices are dense and row-major
/// Timing   load, and multiply into host memory, return when the device is done. Products whose
///          results stay on the device, and those of gradients, wait in the queue and run together
///          as one program when a result is needed or wait is called. Memory is reused from step to
///          step, so the same program is found again. A gradient's product runs after the preceding
///          d_input, newest first: it fills the time in which the chain of d_inputs waits
/// Numbers  operands are rounded to the precision (bf16: to nearest even), including results that
///          stay on the device; sums, biases and gradients are fp32. int8: see quantize.h; A has a
///          scale for each row of C, B one for each column; the exact int32 sums are multiplied by
///          both scales on the host
/// Limits   int8: results cannot stay on the device, since their scales need every sum, and have no
///          Finish; depth as Matmul allows
/// Errors   std::invalid_argument for a precision that the device does not multiply, and for sizes
///          that do not match; DeviceError from the call that runs the products
class Multiplier {
 public:
  /// `seed` is for stochastic rounding.
  Multiplier(const Device& device, DataType precision, std::uint64_t seed = 1);

  DataType precision() const { return precision_; }
  const Device& device() const { return device_; }

  /// Whether results can stay on the device and have a Finish.
  bool keeps_results() const { return precision_ != DataType::kInt8; }

  /// Random numbers depend on the seed, the step and the loads since, so a run can be resumed.
  void start_step(std::int64_t step);

  /// kStochastic is for gradients and matters in int8 only.
  void load(Operand& operand, std::span<const float> values,
            Rounding rounding = Rounding::kNearest);
  /// Values already in bf16, if that is the precision: fill(words) writes all `size`.
  template <typename Fill>
  void load_words(Operand& operand, std::int64_t size, const Fill& fill) {
    const std::span<std::byte> bytes = place_for(operand, size);
    fill(std::span(reinterpret_cast<std::uint16_t*>(bytes.data()), static_cast<std::size_t>(size)));
    finish_load(operand, bytes);
  }
  /// fp32 to bf16 on the device's threads.
  void round_to_bf16(std::span<const float> values, std::span<std::uint16_t> words) const;
  /// For Finish::bias, which stays fp32.
  void load_bias(Operand& bias, std::span<const float> values);

  /// Into host memory.
  void multiply(const Product& product, std::span<float> result, const Finish& finish = {});

  /// Into another product's operand, which stays on the device.
  void multiply(const Product& product, const Finish& finish, Operand& result);

  /// Into gradients that are valid after wait(): the product, and the sums of b's columns unless
  /// `column_sums` is empty.
  void multiply(const Product& product, GradientBuffers& buffers, std::span<float> result,
                std::span<float> column_sums);

  /// Runs the waiting products and fills in all gradients.
  void wait();

  /// Whether products need no Multiplier: the device is this processor, in fp32.
  bool is_this_processor() const {
    return precision_ == DataType::kFp32 && device_.info().name == "cpu";
  }
  /// Counts products computed elsewhere, and their time.
  void count(const Counters& products, double seconds) {
    counted_ += products;
    device_wall_seconds_ += seconds;
  }
  const Counters& counted() const { return counted_; }

  /// The operands that its graphs share on the device.
  OperandStore& operands() { return *operands_; }

  /// Memory shared by programs on this processor, which run one at a time.
  const std::shared_ptr<std::vector<float>>& memory() const { return memory_; }

  /// Wall time of the device's copies and products so far, without conversions.
  double device_wall_seconds() const { return device_wall_seconds_; }

 private:
  /// Sums to be fetched; with scales, they are int32.
  struct Read {
    Buffer buffer;
    std::span<float> values;
    std::vector<float> row_scales = {}, col_scales = {};
  };

  Matmul matmul(const Product& product, const Buffer& c);
  Read read_of(const Product& product, const Buffer& c, std::span<float> values) const;
  void need_form(const Operand& operand, ScaleBy by, std::int64_t rows, std::int64_t cols);
  void fetch(const Read& read);
  Epilogue epilogue(const Finish& finish) const;
  std::span<std::byte> place_for(Operand& operand, std::int64_t size);
  void finish_load(const Operand& operand, std::span<const std::byte> bytes);
  void copy_to_device(std::span<const std::byte> bytes, Buffer& buffer);
  void copy_to_host(const Buffer& buffer, std::span<std::byte> bytes);
  void need_bytes(Buffer& buffer, std::int64_t size_bytes) const;
  void run();

  Device device_;
  Queue queue_;
  DataType precision_;
  Buffer result_;
  std::uint64_t seed_;
  std::uint64_t step_ = 0, loads_ = 0;
  std::vector<std::uint16_t> bf16_;  // conversion buffers, where device memory is elsewhere
  std::vector<std::int8_t> int8_;
  std::vector<std::int32_t> int32_;
  std::vector<Read> reads_;
  Counters counted_;
  std::shared_ptr<OperandStore> operands_;
  std::shared_ptr<std::vector<float>> memory_ = std::make_shared<std::vector<float>>();
  double device_wall_seconds_ = 0;
};

}  // namespace systole::nn
