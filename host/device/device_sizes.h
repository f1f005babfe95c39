#pragma once

#include <algorithm>
#include <cstdint>

namespace systole {

/// Words of a device's buffers; powers of two.
struct BufferSizes {
  std::int64_t bank_rows = 512;  ///< of one of the two accumulator banks
  std::int64_t row_words = 8192, weight_words = 4096, mask_words = 2048;

  BufferSizes limited_to(const BufferSizes& most) const {
    return {std::min(bank_rows, most.bank_rows), std::min(row_words, most.row_words),
            std::min(weight_words, most.weight_words), std::min(mask_words, most.mask_words)};
  }
};

/// The sizes of a device that programs are built for; they may use a part of its buffers.
struct DeviceSizes : BufferSizes {
  int array_size = 16;
  std::int64_t bank_stride = 512;  ///< rows from the first bank to the second
  int bus_bytes = 0;               ///< of a beat; 0 is the array's N

  std::int64_t beat_bytes() const { return bus_bytes == 0 ? array_size : bus_bytes; }
};

}  // namespace systole
