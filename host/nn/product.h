#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/driver/device.h"
#include "host/driver/queue.h"
#include "host/nn/operand.h"
#include "host/nn/tensor.h"

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

/// The one place through which a network's matrix products go to its device.
///
/// Shapes   matrices are dense and row-major
/// Timing   load, and multiply into values of the host, return when the device is done. Products
///          whose results stay on the device, and those of gradients, are kept back and run
///          together as one program, when somebody needs a result or calls wait; memory is kept
///          from step to step, so that the program is found again. Gradients run behind the
///          product that came before them, the newest first: the chain of d_inputs goes ahead, and
///          what it waits for is filled up
/// Numbers  operands are rounded to the precision (bf16: to nearest even), also those that a
///          product leaves on the device; sums, biases and gradients are fp32
/// Errors   std::invalid_argument for int8, which needs scales that this class does not keep, and
///          for sizes that do not match; DeviceError from the device, out of whichever call runs
///          the products
class Multiplier {
 public:
  Multiplier(const Device& device, DataType precision);

  DataType precision() const { return precision_; }
  const Device& device() const { return device_; }

  void load(Operand& operand, std::span<const float> values);
  /// For Finish::bias: stays fp32.
  void load_bias(Operand& bias, std::span<const float> values);

  void multiply(const Product& product, std::span<float> result);

  /// The tensor as an operand: its copy on the device where that is the newest, else `own`, which
  /// its values are loaded into.
  const Operand& operand(const Tensor& tensor, Operand& own);
  /// The same without loading: for a tensor that is unchanged since operand was called with `own`.
  static const Operand& loaded(const Tensor& tensor, const Operand& own) {
    return tensor.device.is_newest ? tensor.device.operand : own;
  }

  /// Into a tensor of [rows, cols]: on the device, or in its values.
  void multiply(const Product& product, const Finish& finish, Tensor& result, bool on_device);

  /// Into gradients that are there after wait(): the product, and the sums of b's columns unless
  /// `column_sums` is empty.
  void multiply(const Product& product, GradientBuffers& buffers, std::span<float> result,
                std::span<float> column_sums);

  /// Runs what was kept back and fills in all gradients.
  void wait();

  /// Brings a tensor's values to the host where they are not.
  void to_host(Tensor& tensor);

  /// Wall time spent in the device's copies and products so far; conversions are not in it.
  double device_wall_seconds() const { return device_wall_seconds_; }

 private:
  struct Kept {
    Matmul matmul;
    Epilogue epilogue;
  };
  struct Read {
    Buffer buffer;
    std::span<float> values;
  };

  Matmul matmul(const Product& product, const Buffer& c) const;
  Epilogue epilogue(const Finish& finish) const;
  void copy_to_device(std::span<const std::byte> bytes, Operand& operand);
  void copy_to_host(const Buffer& buffer, std::span<std::byte> bytes);
  void need_bytes(Buffer& buffer, std::int64_t size_bytes) const;
  bool is_kept(const Buffer& buffer) const;
  void run();

  Device device_;
  Queue queue_;
  DataType precision_;
  Buffer result_;
  std::vector<std::uint16_t> staging_;
  std::vector<Kept> chain_, gradients_;  // run in this order
  std::vector<Read> reads_;
  double device_wall_seconds_ = 0;
};

}  // namespace systole::nn
