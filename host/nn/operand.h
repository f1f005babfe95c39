#pragma once

#include <cstdint>

#include "host/driver/buffer.h"

namespace systole::nn {

/// A matrix on the device, in the form that products take it in, and used by any number of them.
/// Its memory is kept and reused for the next matrix that fits: a training step finds everything
/// where it was, and so its program.
class Operand {
 public:
  std::int64_t size() const { return size_; }

 private:
  friend class Multiplier;
  Buffer buffer_;
  std::int64_t size_ = 0;
};

}  // namespace systole::nn
