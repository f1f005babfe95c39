#include "sim/model/panels.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace systole {
namespace {

/// Elements of depth in a word, and how they make one.
template <typename T>
struct Word;

template <>
struct Word<std::uint16_t> {
  static constexpr int kElements = 1;
  static std::uint32_t of(std::uint16_t bf16) { return std::uint32_t{bf16} << 16; }
};

template <>
struct Word<std::int8_t> {
  static constexpr int kElements = 2;
  static std::uint32_t of(std::int8_t low, std::int8_t high) {
    return static_cast<std::uint16_t>(low) |
           static_cast<std::uint32_t>(static_cast<std::uint16_t>(high)) << 16;
  }
};

/// A step's word of a line; `left` elements of depth remain from `in` on.
template <typename T>
std::uint32_t word_at(const T* in, std::int64_t depth_stride, std::int64_t left) {
  if constexpr (Word<T>::kElements == 1) {
    return left > 0 ? Word<T>::of(in[0]) : 0;
  } else {
    const T low = left > 0 ? in[0] : T{0};
    const T high = left > 1 ? in[depth_stride] : T{0};
    return Word<T>::of(low, high);
  }
}

/// Any lines, any steps, one word at a time; zeros where there is no line or no depth.
template <typename T>
void pack_words(const Lines& lines, const T* first, std::int64_t count, int width,
                std::int64_t first_step, std::int64_t steps, std::uint32_t* out) {
  for (std::int64_t step = first_step; step < steps; ++step) {
    const std::int64_t depth = step * Word<T>::kElements;
    for (std::int64_t line = 0; line < width; ++line) {
      const bool inside = line < count && depth < lines.depth;
      const T* in = inside ? first + line * lines.line_stride + depth * lines.depth_stride : first;
      out[step * width + line] = word_at(in, lines.depth_stride, inside ? lines.depth - depth : 0);
    }
  }
}

/// Lanes that are packed at a time.
constexpr int kSquare = 16;
using Words = std::uint32_t __attribute__((ext_vector_type(kSquare)));
using Signed = std::int32_t __attribute__((ext_vector_type(kSquare)));

/// A step's words of lines that lie side by side.
template <typename T, int kWidth>
void pack_run(const T* in, std::int64_t depth_stride, std::uint32_t* out) {
  if constexpr (Word<T>::kElements == 1) {
    for (int line = 0; line < kWidth; ++line) out[line] = Word<T>::of(in[line]);
  } else if constexpr (kWidth % kSquare == 0) {
    using Bytes = T __attribute__((ext_vector_type(kSquare)));
    for (int line = 0; line < kWidth; line += kSquare) {
      Bytes low;
      Bytes high;
      std::memcpy(&low, in + line, sizeof low);
      std::memcpy(&high, in + depth_stride + line, sizeof high);
      const Words words =
          (__builtin_bit_cast(Words, __builtin_convertvector(low, Signed)) & 0xffff) |
          __builtin_bit_cast(Words, __builtin_convertvector(high, Signed)) << 16;
      std::memcpy(out + line, &words, sizeof words);
    }
  } else {
    for (int line = 0; line < kWidth; ++line) {
      out[line] = Word<T>::of(in[line], in[depth_stride + line]);
    }
  }
}

/// Lines that lie side by side: a step is a run of memory. Packs `steps` steps of full depth.
template <typename T, int kWidth>
void pack_runs(const Lines& lines, const T* first, std::int64_t steps, std::uint32_t* out) {
  for (std::int64_t step = 0; step < steps; ++step, out += kWidth) {
    pack_run<T, kWidth>(first + step * Word<T>::kElements * lines.depth_stride, lines.depth_stride,
                        out);
  }
}

/// A square's row: 16-bit units, each one step of one line: a bf16, or two int8.
using Units = std::uint16_t __attribute__((ext_vector_type(kSquare)));

/// One step's words of `lines` lines, from their units.
template <typename T>
void store_words(const Units& units, std::size_t lines, std::uint32_t* out) {
  Words words = __builtin_convertvector(units, Words);
  if constexpr (Word<T>::kElements == 1) {
    words <<= 16;
  } else {
    const Signed low = __builtin_bit_cast(Signed, words << 24) >> 24;
    const Signed high = __builtin_bit_cast(Signed, words << 16) >> 24;
    words = (__builtin_bit_cast(Words, low) & 0xffff) | __builtin_bit_cast(Words, high) << 16;
  }
  std::memcpy(out, &words, lines * sizeof(std::uint32_t));
}

/// Swaps the off-diagonal kSpan x kSpan squares of every 2 kSpan x 2 kSpan square.
template <int kSpan, int... kLane>
void swap_squares(Units (&row)[kSquare], std::integer_sequence<int, kLane...>) {
  for (int i = 0; i < kSquare; ++i) {
    if ((i & kSpan) != 0) continue;
    const Units upper = row[i];
    const Units lower = row[i + kSpan];
    row[i] = __builtin_shufflevector(upper, lower,
                                     ((kLane & kSpan) == 0 ? kLane : kSquare + kLane - kSpan)...);
    row[i + kSpan] = __builtin_shufflevector(
        upper, lower, ((kLane & kSpan) == 0 ? kLane + kSpan : kSquare + kLane)...);
  }
}

void transpose(Units (&row)[kSquare]) {
  constexpr auto kLanes = std::make_integer_sequence<int, kSquare>();
  swap_squares<8>(row, kLanes);
  swap_squares<4>(row, kLanes);
  swap_squares<2>(row, kLanes);
  swap_squares<1>(row, kLanes);
}

/// Lines whose depth lies side by side: squares are transposed. Packs the steps up to a multiple of
/// the square's side and returns how many.
template <typename T>
std::int64_t pack_squares(const Lines& lines, const T* first, std::int64_t count, int width,
                          std::int64_t steps, std::uint32_t* out) {
  const std::int64_t packed = steps / kSquare * kSquare;
  for (std::int64_t line = 0; line < width; line += kSquare) {
    const auto across = static_cast<std::size_t>(std::min<std::int64_t>(kSquare, width - line));
    for (std::int64_t step = 0; step < packed; step += kSquare) {
      Units row[kSquare] = {};
      for (std::int64_t i = 0; i < std::min<std::int64_t>(kSquare, count - line); ++i) {
        std::memcpy(&row[i], first + (line + i) * lines.line_stride + step * Word<T>::kElements,
                    sizeof row[i]);
      }
      transpose(row);
      for (std::int64_t i = 0; i < kSquare; ++i) {
        store_words<T>(row[i], across, out + (step + i) * width + line);
      }
    }
  }
  return packed;
}

template <typename T>
void pack(const Lines& lines, const T* first, std::int64_t count, int width, std::int64_t steps,
          std::uint32_t* out) {
  const std::int64_t whole_steps = lines.depth / Word<T>::kElements;
  std::int64_t packed = 0;
  if (lines.depth_stride == 1) {
    packed = pack_squares(lines, first, count, width, whole_steps, out);
  } else if (lines.line_stride == 1 && count == width) {
    packed = whole_steps;
    switch (width) {
      case 6:
        pack_runs<T, 6>(lines, first, packed, out);
        break;
      case 16:
        pack_runs<T, 16>(lines, first, packed, out);
        break;
      case 32:
        pack_runs<T, 32>(lines, first, packed, out);
        break;
      default:
        packed = 0;
    }
  }
  pack_words(lines, first, count, width, packed, steps, out);
}

}  // namespace

std::uint32_t* WordBuffer::reserve(std::int64_t words) {
  if (words > capacity_) {
    words_.reset();
    const auto bytes = static_cast<std::size_t>(words) * sizeof(std::uint32_t);
    words_.reset(static_cast<std::uint32_t*>(::operator new[](bytes, kAlignment)));
    capacity_ = words;
  }
  return words_.get();
}

std::int64_t depth_steps(DataType type, std::int64_t depth, int array_size) {
  if (type == DataType::kInt8) return (depth + 1) / 2;
  return depth + (depth % array_size != 0);
}

void pack_panel(const Lines& lines, std::int64_t first_line, int width, std::int64_t steps,
                std::uint32_t* out) {
  const std::int64_t count = std::min<std::int64_t>(width, lines.count - first_line);
  const std::int64_t offset = first_line * lines.line_stride;
  if (lines.type == DataType::kInt8) {
    pack(lines, reinterpret_cast<const std::int8_t*>(lines.bytes.data()) + offset, count, width,
         steps, out);
  } else {
    pack(lines, reinterpret_cast<const std::uint16_t*>(lines.bytes.data()) + offset, count, width,
         steps, out);
  }
}

}  // namespace systole
