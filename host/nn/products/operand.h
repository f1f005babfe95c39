#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/device/buffer.h"
#include "host/nn/products/quantize.h"

namespace systole::nn {

/// A matrix on the device, converted for products, which any number of them may use. Its memory is
/// reused for the next matrix that fits, so a training step keeps its addresses and its program.
class Operand {
 public:
  std::int64_t size() const { return size_; }

 private:
  friend class Multiplier;

  /// int8 and what it was divided by, one scale for each row or column of the matrix.
  struct Int8Form {
    Buffer buffer;
    std::vector<float> scales;
    std::int64_t rows = 0;  ///< the matrix's version converted here; 0: none
  };

  std::int64_t size_ = 0;
  Buffer buffer_;  ///< fp32 and bf16

  // int8: a product sums along one side of a matrix, so its scales go by the other; the first
  // product decides which.
  std::vector<float> values_;
  std::optional<std::uint64_t> seed_;  ///< for stochastic rounding
  mutable std::array<Int8Form, 2> forms_;

  Int8Form& form(ScaleBy by) const { return forms_[static_cast<std::size_t>(by)]; }
};

}  // namespace systole::nn
