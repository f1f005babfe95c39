#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "host/nn/numbers/tensor.h"
#include "host/nn/training/score.h"

namespace systole::nn {

/// loss = mean over rows and outputs of (y - t)^2; class numbers are targets of 1 for that class
/// and 0 for the others.
///
/// Shapes   outputs and targets [rows, outputs], or one class number per row
/// Limits   0 <= label < outputs; rows >= 1
/// Numbers  differences in fp32, the mean in fp64, rows ascending; d_y = 2 (y - t) / (rows *
///          outputs). The accuracy compares the largest output with the largest target.
/// Errors   std::invalid_argument for a label out of range, and for sizes that do not match
struct MeanSquaredError {
  std::string describe() const { return "mean squared error"; }  ///< every option, in words

  /// Writes the gradient unless d_outputs is null.
  Score evaluate(const Tensor& outputs, const Tensor& targets, Tensor* d_outputs) const;
  Score evaluate(const Tensor& outputs, std::span<const std::int32_t> labels,
                 Tensor* d_outputs) const;
};

}  // namespace systole::nn
