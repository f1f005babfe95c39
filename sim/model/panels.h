#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "host/driver/data_type.h"

namespace systole {

/// Words of memory aligned for vectors, kept from product to product: fresh pages cost more than
/// what is written into them.
class WordBuffer {
 public:
  std::uint32_t* reserve(std::int64_t words);

 private:
  struct Free {
    void operator()(std::uint32_t* words) const { ::operator delete[](words, kAlignment); }
  };
  static constexpr std::align_val_t kAlignment{64};
  std::unique_ptr<std::uint32_t[], Free> words_;
  std::int64_t capacity_ = 0;
};

/// Where an operand's lines lie: rows of A, or columns of B; element k of a line is
/// first[line * line_stride + k * depth_stride].
struct Lines {
  std::span<const std::byte> bytes;
  DataType type = DataType::kBf16;
  std::int64_t count = 0, depth = 0;
  std::int64_t line_stride = 0, depth_stride = 0;
};

/// Steps of depth that a block kernel takes for `depth` elements on an array of N.
///
/// bf16: one each, and one more of zeros where the last tile is padded: the device's further zeros
/// change nothing after the first. int8: one for every two.
std::int64_t depth_steps(DataType type, std::int64_t depth, int array_size);

/// The panel of lines first_line .. first_line + width - 1 as Block wants it, out[steps][width];
/// zeros where there is no line or no depth.
void pack_panel(const Lines& lines, std::int64_t first_line, int width, std::int64_t steps,
                std::uint32_t* out);

}  // namespace systole
