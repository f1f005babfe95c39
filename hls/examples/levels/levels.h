#pragma once

#include "systole/hls/axi_array.h"
#include "systole/hls/kernel.h"

namespace levels {

using namespace systole::hls;

/// Grey values in memory, one byte each.
using Image = AxiArray<UInt<8>, 4096>;

/// Makes an image's darkest grey black and spreads the others: (grey - darkest) * gain / 16.
///
/// Limits   up to 4095 pixels
inline void spread(const Image& image, Image& result, UInt<12> pixels, UInt<8> gain,
                   UInt<8>& darkest) {
  const int count = static_cast<int>(pixels.value());
  UInt<8> least = 255;
  for (int i = 0; i < count; ++i) {
    const UInt<8> grey = image[i];
    if (grey < least) least = grey;
  }
  for (int i = 0; i < count; ++i) {
    const UInt<12> grey = slice<15, 4>(truncate<UInt<16>>((image[i] - least) * gain));
    result[i] = grey > 255 ? UInt<8>(255) : truncate<UInt<8>>(grey);
  }
  darkest = least;
}

}  // namespace levels
