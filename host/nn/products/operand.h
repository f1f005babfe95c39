#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/driver/buffer.h"
#include "host/nn/products/quantize.h"

namespace systole::nn {

/// A matrix on the device, in the form that products take it in, and used by any number of them.
/// Its memory is kept and reused for the next matrix that fits: a training step finds everything
/// where it was, and so its program.
class Operand {
 public:
  std::int64_t size() const { return size_; }

 private:
  friend class Multiplier;

  /// int8 and what it was divided by, one scale for each row or column of the matrix.
  struct Int8Form {
    Buffer buffer;
    std::vector<float> scales;
    std::int64_t rows = 0;  ///< of the matrix when this was made; 0: not made of these values
  };

  std::int64_t size_ = 0;
  Buffer buffer_;  ///< fp32 and bf16

  // int8: a product sums along one side of a matrix, so its scales must go with the other; which
  // one is known when the first product asks.
  std::vector<float> values_;
  std::optional<std::uint64_t> seed_;  ///< of stochastic rounding
  mutable std::array<Int8Form, 2> forms_;

  Int8Form& form(ScaleBy by) const { return forms_[static_cast<std::size_t>(by)]; }
};

}  // namespace systole::nn
