#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace systole {

/// Words of memory aligned for vectors, kept from product to product: a fresh page costs more than
/// filling it.
class WordBuffer {
 public:
  std::uint32_t* reserve(std::int64_t words);
  std::uint32_t* get() const { return words_.get(); }

 private:
  struct Free {
    void operator()(std::uint32_t* words) const { ::operator delete[](words, kAlignment); }
  };
  static constexpr std::align_val_t kAlignment{64};
  std::unique_ptr<std::uint32_t[], Free> words_;
  std::int64_t capacity_ = 0;
};

/// The content of a panel's word.
enum class PanelWords : std::uint8_t {
  kBf16,       ///< one bf16 as fp32
  kBf16Pairs,  ///< two bf16, the first in the upper half
  kInt8Pairs,  ///< two int8 as int16
  kInt8Quads,  ///< four int8
};

/// Elements along the depth in a word.
constexpr int elements_of(PanelWords words) {
  switch (words) {
    case PanelWords::kBf16:
      return 1;
    case PanelWords::kBf16Pairs:
    case PanelWords::kInt8Pairs:
      return 2;
    case PanelWords::kInt8Quads:
      return 4;
  }
  return 1;
}

constexpr bool is_bf16(PanelWords words) {
  return words == PanelWords::kBf16 || words == PanelWords::kBf16Pairs;
}

/// Where an operand's lines lie: rows of A, or columns of B; element k of a line is
/// first[line * line_stride + k * depth_stride].
struct Lines {
  const std::byte* first = nullptr;
  PanelWords words = PanelWords::kBf16;
  std::int64_t count = 0, depth = 0;
  std::int64_t line_stride = 0, depth_stride = 0;

  /// The steps `from` .. from + steps - 1 of all lines.
  Lines steps_from(std::int64_t from, std::int64_t steps) const;
};

/// Steps of a block kernel for `depth` elements on an array of N: one for each word. bf16 has one
/// more element, a zero, if the last tile is padded; the device's further zeros change nothing.
std::int64_t depth_steps(PanelWords words, std::int64_t depth, int array_size);

/// Packs lines first_line .. first_line + width - 1 of B for a block, as out[steps][width], with
/// zeros beyond the last line and the depth.
///
/// Limits   width 8, 16 or 32
void pack_panel(const Lines& lines, std::int64_t first_line, int width, std::int64_t steps,
                std::uint32_t* out);

/// Where a word of packed lines lies: out[line * stride.line + step * stride.step].
struct Strides {
  std::int64_t line, step;
};

/// Lanes that are packed at a time.
inline constexpr std::int64_t kPackedLanes = 16;

/// Packs lines first_line .. first_line + count - 1 of A: single bf16 with a line's words side by
/// side, others as they lie in memory, a line's or a step's. Zeros beyond the depth; then
/// exclusive-ors `flip`, 0 for bf16, into every word.
///
/// Shapes   out: `count` and `steps`, each rounded up to a multiple of kPackedLanes. Lines beyond
///          `count` have any numbers
Strides pack_lines(const Lines& lines, std::int64_t first_line, std::int64_t count,
                   std::int64_t steps, std::uint32_t flip, std::uint32_t* out);

}  // namespace systole
