#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/driver/device.h"
#include "host/driver/queue.h"
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

/// What happens to a product's sums before they leave the device: bias + sums, ReLU, mask.
struct Finish {
  const Operand* bias = nullptr;  ///< [cols], of load_bias
  bool relu = false;
  const Operand* mask = nullptr;  ///< [rows, cols]: where it is not > 0 the result is 0
};

/// Where a layer's gradients lie on the device until they are copied back.
class GradientBuffers {
  friend class Multiplier;
  Buffer sums_, column_sums_;
};

class OperandStore;

/// The one place through which a network's matrix products go to its device.
///
/// Shapes   matrices are dense and row-major
/// Timing   load, and multiply into values of the host, return when the device is done. Products
///          whose results stay on the device, and those of gradients, wait in the queue and run
///          together as one program, when somebody needs a result or calls wait. Memory is kept
///          from step to step, so the same program is found again. A gradient's product runs after
///          the d_input before it, the newest first: it fills the time in which the chain of
///          d_inputs waits
/// Numbers  operands are rounded to the precision (bf16: to nearest even), also those that a
///          product leaves on the device; sums, biases and gradients are fp32. int8: see
///          quantize.h; a product's A has a scale for each row of C, its B one for each column;
///          sums are exact int32, come to the host and are multiplied by both scales there
/// Limits   int8: results do not stay on the device, since their scales are known when the last
///          sum is, and have no Finish; depth as Matmul allows
/// Errors   std::invalid_argument for a precision that the device does not multiply, and for sizes
///          that do not match; DeviceError from the device, out of whichever call runs the products
class Multiplier {
 public:
  /// `seed`: of stochastic rounding.
  Multiplier(const Device& device, DataType precision, std::uint64_t seed = 1);

  DataType precision() const { return precision_; }
  const Device& device() const { return device_; }

  /// Whether results can stay on the device, and have a Finish there.
  bool keeps_results() const { return precision_ != DataType::kInt8; }

  /// Random numbers depend on the seed, the step and the loads since: a run can be taken up again.
  void start_step(std::int64_t step);

  /// kStochastic is for gradients, and means something in int8 only.
  void load(Operand& operand, std::span<const float> values,
            Rounding rounding = Rounding::kNearest);
  /// What is in bf16 already, where that is the precision.
  void load(Operand& operand, std::span<const std::uint16_t> words);
  /// For Finish::bias: stays fp32.
  void load_bias(Operand& bias, std::span<const float> values);

  /// Into values of the host.
  void multiply(const Product& product, std::span<float> result, const Finish& finish = {});

  /// Into an operand of other products, which stays on the device.
  void multiply(const Product& product, const Finish& finish, Operand& result);

  /// Into gradients that are there after wait(): the product, and the sums of b's columns unless
  /// `column_sums` is empty.
  void multiply(const Product& product, GradientBuffers& buffers, std::span<float> result,
                std::span<float> column_sums);

  /// Runs what was kept back and fills in all gradients.
  void wait();

  /// Whether the device is this processor and rounds nothing: products need not go through it.
  bool is_this_processor() const {
    return precision_ == DataType::kFp32 && device_.info().name == "cpu";
  }
  /// Products that did not go through it, and the time they took.
  void count(const Counters& products, double seconds) {
    counted_ += products;
    device_wall_seconds_ += seconds;
  }
  const Counters& counted() const { return counted_; }

  /// What its graphs share on the device.
  OperandStore& operands() { return *operands_; }

  /// Of programs on this processor, which run one after the other.
  const std::shared_ptr<std::vector<float>>& memory() const { return memory_; }

  /// Wall time spent in the device's copies and products so far; conversions are not in it.
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
  std::vector<std::uint16_t> bf16_;  // on their way
  std::vector<std::int8_t> int8_;
  std::vector<std::int32_t> int32_;
  std::vector<Read> reads_;
  Counters counted_;
  std::shared_ptr<OperandStore> operands_;
  std::shared_ptr<std::vector<float>> memory_ = std::make_shared<std::vector<float>>();
  double device_wall_seconds_ = 0;
};

}  // namespace systole::nn
