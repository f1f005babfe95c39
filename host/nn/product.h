#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/driver/device.h"
#include "host/driver/queue.h"

namespace systole::nn {

/// A matrix on the device, converted from fp32 once and then used by any number of products.
/// Its memory is kept and reused for the next matrix that fits.
class Operand {
 public:
  std::int64_t size() const { return size_; }

 private:
  friend class Multiplier;
  Buffer buffer_;
  std::int64_t size_ = 0;
  std::vector<std::uint16_t> staging_;
};

/// C[rows, cols] = op(a)[rows, depth] * op(b)[depth, cols], as in systole::Matmul.
struct Product {
  const Operand& a;
  const Operand& b;
  std::int64_t rows = 0, depth = 0, cols = 0;
  bool transpose_a = false;
  bool transpose_b = false;
};

/// The one place through which a network's matrix products go to its device.
///
/// Shapes   matrices are dense and row-major
/// Timing   load and multiply return when the device is done; one result buffer is reused, grown
///          to the largest product seen
/// Numbers  operands are rounded to the precision (bf16: to nearest even), sums come back as fp32
/// Errors   std::invalid_argument for int8, which needs scales that this class does not keep, and
///          for sizes that do not match; DeviceError from the device
class Multiplier {
 public:
  Multiplier(const Device& device, DataType precision);

  DataType precision() const { return precision_; }
  const Device& device() const { return device_; }

  void load(Operand& operand, std::span<const float> values);
  void multiply(const Product& product, std::span<float> result);

  /// Wall time spent in the device's copies and products so far; conversions are not in it.
  double device_wall_seconds() const { return device_wall_seconds_; }

 private:
  Device device_;
  Queue queue_;
  DataType precision_;
  Buffer result_;
  double device_wall_seconds_ = 0;
};

}  // namespace systole::nn
