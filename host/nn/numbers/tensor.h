#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "host/nn/products/operand.h"

namespace systole::nn {

/// A tensor's values on the device. Belongs to one tensor: a copy of that tensor has none.
struct DeviceCopy {
  Operand operand;
  bool is_newest = false;  ///< the tensor's values are older, or were never there

  DeviceCopy() = default;
  DeviceCopy(const DeviceCopy&) {}
  DeviceCopy& operator=(const DeviceCopy&) {
    is_newest = false;
    return *this;
  }
  DeviceCopy(DeviceCopy&&) = default;
  DeviceCopy& operator=(DeviceCopy&&) = default;
};

/// A batch of fp32 samples, row-major [rows, row_size]; a sample's own dimensions are its layer's
/// business. resize keeps the memory, so that a training step allocates nothing after the first.
///
/// Limits   what device layers hand to each other stays on the device, and values is not written:
///          Multiplier::to_host brings it. Everything else, also what a layer is given that knows
///          nothing of devices, is in values. Only a tensor whose values are there is copied
struct Tensor {
  std::int64_t rows = 0;
  std::int64_t row_size = 0;
  std::vector<float> values = {};
  DeviceCopy device = {};

  /// Makes room for new values on the host.
  void resize(std::int64_t new_rows, std::int64_t new_row_size) {
    rows = new_rows;
    row_size = new_row_size;
    values.resize(static_cast<std::size_t>(rows * row_size));
    device.is_newest = false;
  }

  std::span<float> row(std::int64_t index) {
    return std::span(values).subspan(static_cast<std::size_t>(index * row_size),
                                     static_cast<std::size_t>(row_size));
  }
  std::span<const float> row(std::int64_t index) const {
    return std::span(values).subspan(static_cast<std::size_t>(index * row_size),
                                     static_cast<std::size_t>(row_size));
  }
};

}  // namespace systole::nn
