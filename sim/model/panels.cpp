#include "sim/model/panels.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace systole {
namespace {

/// Lanes packed at a time.
constexpr int kSquare = 16;
using Words = std::uint32_t __attribute__((ext_vector_type(kSquare)));
using Signed = std::int32_t __attribute__((ext_vector_type(kSquare)));

template <typename T>
using Lanes = T __attribute__((ext_vector_type(kSquare)));

/// How elements along the depth make a word. `Unit` holds a word's elements as they lie in memory;
/// widen() turns units into words.
struct Bf16Words {
  using Element = std::uint16_t;
  using Unit = std::uint16_t;
  static constexpr int kElements = 1;
  static std::uint32_t join(const std::uint16_t* element) { return std::uint32_t{*element} << 16; }
  static Words widen(const Lanes<Unit>& units) {
    return __builtin_convertvector(units, Words) << 16;
  }
};

struct Bf16Pairs {
  using Element = std::uint16_t;
  using Unit = std::uint32_t;
  static constexpr int kElements = 2;
  static constexpr std::uint32_t shift(int k) { return k == 0 ? 16 : 0; }
  static std::uint32_t join(const std::uint16_t* element) {
    return std::uint32_t{element[0]} << 16 | element[1];
  }
  static Words widen(const Lanes<Unit>& units) { return units << 16 | units >> 16; }
};

struct Int8Pairs {
  using Element = std::int8_t;
  using Unit = std::uint16_t;
  static constexpr int kElements = 2;
  static constexpr std::uint32_t shift(int k) { return static_cast<std::uint32_t>(k) * 16; }
  static std::uint32_t join(const std::int8_t* element) {
    return static_cast<std::uint16_t>(element[0]) |
           static_cast<std::uint32_t>(static_cast<std::uint16_t>(element[1])) << 16;
  }
  static Words widen(const Lanes<Unit>& units) {
    const Words words = __builtin_convertvector(units, Words);
    const Signed low = __builtin_bit_cast(Signed, words << 24) >> 24;
    const Signed high = __builtin_bit_cast(Signed, words << 16) >> 24;
    return (__builtin_bit_cast(Words, low) & 0xffff) | __builtin_bit_cast(Words, high) << 16;
  }
};

struct Int8Quads {
  using Element = std::int8_t;
  using Unit = std::uint32_t;
  static constexpr int kElements = 4;
  static constexpr std::uint32_t shift(int k) { return static_cast<std::uint32_t>(k) * 8; }
  static std::uint32_t join(const std::int8_t* element) {
    std::uint32_t word = 0;
    std::memcpy(&word, element, sizeof word);
    return word;
  }
  static Words widen(const Lanes<Unit>& units) { return units; }
};

/// Any lines, any steps, one word at a time; zeros beyond the last line and the depth.
template <typename Format>
void pack_words(const Lines& lines, const typename Format::Element* first, std::int64_t count,
                int width, std::int64_t first_step, std::int64_t steps, std::uint32_t flip,
                std::uint32_t* out) {
  constexpr int kElements = Format::kElements;
  for (std::int64_t step = first_step; step < steps; ++step) {
    const std::int64_t depth = step * kElements;
    const std::int64_t left = std::clamp<std::int64_t>(lines.depth - depth, 0, kElements);
    for (std::int64_t line = 0; line < width; ++line) {
      typename Format::Element element[kElements] = {};
      if (line < count) {
        for (std::int64_t k = 0; k < left; ++k) {
          element[k] = first[line * lines.line_stride + (depth + k) * lines.depth_stride];
        }
      }
      out[step * width + line] = Format::join(element) ^ flip;
    }
  }
}

/// A step's words for lines that lie side by side.
template <typename Format, int kWidth>
void pack_run(const typename Format::Element* in, std::int64_t depth_stride, std::uint32_t flip,
              std::uint32_t* out) {
  using Element = typename Format::Element;
  constexpr int kElements = Format::kElements;
  if constexpr (kElements > 1 && kWidth % kSquare == 0) {
    for (int line = 0; line < kWidth; line += kSquare) {
      Words words = flip;
      for (int k = 0; k < kElements; ++k) {
        Lanes<Element> elements;
        std::memcpy(&elements, in + k * depth_stride + line, sizeof elements);
        constexpr int kBits = 32 / kElements;
        constexpr std::uint32_t kMask = 0xffff'ffffU >> (32 - kBits);
        const auto extended =
            __builtin_bit_cast(Words, __builtin_convertvector(elements, Signed)) & kMask;
        words ^= extended << Format::shift(k);
      }
      std::memcpy(out + line, &words, sizeof words);
    }
  } else {
    for (int line = 0; line < kWidth; ++line) {
      Element element[kElements];
      for (int k = 0; k < kElements; ++k) element[k] = in[k * depth_stride + line];
      out[line] = Format::join(element) ^ flip;
    }
  }
}

/// Lines that lie side by side: a step is a run of memory. Packs `steps` steps of full depth.
template <typename Format, int kWidth>
void pack_runs(const Lines& lines, const typename Format::Element* first, std::int64_t steps,
               std::uint32_t flip, std::uint32_t* out) {
  for (std::int64_t step = 0; step < steps; ++step, out += kWidth) {
    pack_run<Format, kWidth>(first + step * Format::kElements * lines.depth_stride,
                             lines.depth_stride, flip, out);
  }
}

/// Swaps the off-diagonal kSpan x kSpan squares of every 2 kSpan x 2 kSpan square.
template <int kSpan, typename Units, int... kLane>
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

template <typename Units>
void transpose(Units (&row)[kSquare]) {
  constexpr auto kLanes = std::make_integer_sequence<int, kSquare>();
  swap_squares<8>(row, kLanes);
  swap_squares<4>(row, kLanes);
  swap_squares<2>(row, kLanes);
  swap_squares<1>(row, kLanes);
}

/// Lines whose depth lies side by side: squares are transposed. Packs the steps up to a multiple of
/// the square's side and returns how many.
template <typename Format>
std::int64_t pack_squares(const Lines& lines, const typename Format::Element* first,
                          std::int64_t count, int width, std::int64_t steps, std::uint32_t flip,
                          std::uint32_t* out) {
  const std::int64_t packed = steps / kSquare * kSquare;
  for (std::int64_t line = 0; line < width; line += kSquare) {
    const auto across = static_cast<std::size_t>(std::min<std::int64_t>(kSquare, width - line));
    const std::int64_t present = std::clamp<std::int64_t>(count - line, 0, kSquare);
    for (std::int64_t step = 0; step < packed; step += kSquare) {
      Lanes<typename Format::Unit> row[kSquare] = {};
      for (std::int64_t i = 0; i < present; ++i) {
        std::memcpy(&row[i], first + (line + i) * lines.line_stride + step * Format::kElements,
                    sizeof row[i]);
      }
      transpose(row);
      for (std::int64_t i = 0; i < kSquare; ++i) {
        const Words words = Format::widen(row[i]) ^ flip;
        std::memcpy(out + (step + i) * width + line, &words, across * sizeof(std::uint32_t));
      }
    }
  }
  return packed;
}

template <typename Format>
void pack(const Lines& lines, std::int64_t first_line, int width, std::int64_t steps,
          std::uint32_t flip, std::uint32_t* out) {
  using Element = typename Format::Element;
  const std::int64_t count = std::min<std::int64_t>(width, lines.count - first_line);
  const Element* first =
      reinterpret_cast<const Element*>(lines.first) + first_line * lines.line_stride;
  const std::int64_t whole_steps = std::min(steps, lines.depth / Format::kElements);
  std::int64_t packed = 0;
  if (lines.depth_stride == 1) {
    packed = pack_squares<Format>(lines, first, count, width, whole_steps, flip, out);
  } else if (lines.line_stride == 1 && count == width) {
    packed = whole_steps;
    switch (width) {
      case 6:
        pack_runs<Format, 6>(lines, first, packed, flip, out);
        break;
      case 16:
        pack_runs<Format, 16>(lines, first, packed, flip, out);
        break;
      case 32:
        pack_runs<Format, 32>(lines, first, packed, flip, out);
        break;
      default:
        packed = 0;
    }
  }
  pack_words<Format>(lines, first, count, width, packed, steps, flip, out);
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

Lines Lines::steps_from(std::int64_t from, std::int64_t steps) const {
  const std::int64_t per_step = elements_of(words);
  const std::int64_t element_bytes = is_bf16(words) ? 2 : 1;
  Lines part = *this;
  part.first += from * per_step * depth_stride * element_bytes;
  part.depth = std::clamp<std::int64_t>(depth - from * per_step, 0, steps * per_step);
  return part;
}

std::int64_t depth_steps(PanelWords words, std::int64_t depth, int array_size) {
  const std::int64_t elements = depth + (is_bf16(words) && depth % array_size != 0 ? 1 : 0);
  return (elements + elements_of(words) - 1) / elements_of(words);
}

void pack_panel(const Lines& lines, std::int64_t first_line, int width, std::int64_t steps,
                std::uint32_t flip, std::uint32_t* out) {
  switch (lines.words) {
    case PanelWords::kBf16:
      return pack<Bf16Words>(lines, first_line, width, steps, flip, out);
    case PanelWords::kBf16Pairs:
      return pack<Bf16Pairs>(lines, first_line, width, steps, flip, out);
    case PanelWords::kInt8Pairs:
      return pack<Int8Pairs>(lines, first_line, width, steps, flip, out);
    case PanelWords::kInt8Quads:
      return pack<Int8Quads>(lines, first_line, width, steps, flip, out);
  }
}

}  // namespace systole
