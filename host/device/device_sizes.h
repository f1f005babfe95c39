#pragma once

#include <cstdint>

namespace systole {

/// The sizes of a device that programs are built for.
struct DeviceSizes {
  int array_size = 16;
  std::int64_t bank_rows = 512;    ///< rows used of each of the two accumulator banks
  std::int64_t bank_stride = 512;  ///< rows from the first bank to the second
  std::int64_t row_words = 8192, weight_words = 4096, mask_words = 2048;
  int bus_bytes = 0;  ///< of a beat; 0 is the array's N

  std::int64_t beat_bytes() const { return bus_bytes == 0 ? array_size : bus_bytes; }
};

}  // namespace systole
