#include "sim/model/panels.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "systole/support/ceil_div.h"

namespace systole {
namespace {

constexpr int kSquare = kPackedLanes;
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

/// A line's word, with zeros beyond the depth.
template <typename Format>
std::uint32_t word_at(const Lines& lines, const typename Format::Element* line, std::int64_t step) {
  typename Format::Element element[Format::kElements] = {};
  const std::int64_t depth = step * Format::kElements;
  for (std::int64_t k = 0; k < Format::kElements && depth + k < lines.depth; ++k) {
    element[k] = line[(depth + k) * lines.depth_stride];
  }
  return Format::join(element);
}

/// Any lines, any steps, one word at a time; zeros beyond the last line and the depth.
template <typename Format>
void pack_words(const Lines& lines, const typename Format::Element* first, std::int64_t count,
                int width, std::int64_t first_step, std::int64_t steps, std::uint32_t* out) {
  for (std::int64_t step = first_step; step < steps; ++step) {
    for (std::int64_t line = 0; line < width; ++line) {
      out[step * width + line] =
          line < count ? word_at<Format>(lines, first + line * lines.line_stride, step) : 0;
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
               std::uint32_t* out) {
  for (std::int64_t step = 0; step < steps; ++step, out += kWidth) {
    pack_run<Format, kWidth>(first + step * Format::kElements * lines.depth_stride,
                             lines.depth_stride, 0, out);
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

/// The units of `left` lanes from `from` on, or of all where so many may be read before `end`.
template <typename Format>
Lanes<typename Format::Unit> load_units(const typename Format::Element* from, std::int64_t left,
                                        const typename Format::Element* end) {
  Lanes<typename Format::Unit> units = {};
  if (end - from >= kSquare * Format::kElements) {
    std::memcpy(&units, from, sizeof units);
  } else {
    std::memcpy(&units, from, static_cast<std::size_t>(left) * sizeof(typename Format::Unit));
  }
  return units;
}

/// Past the last element that may be read.
template <typename Element>
const Element* end_of(const Lines& lines) {
  return reinterpret_cast<const Element*>(lines.first) + (lines.count - 1) * lines.line_stride +
         (lines.depth - 1) * lines.depth_stride + 1;
}

/// Lines whose depth lies side by side: squares are transposed.
template <typename Format>
void pack_squares(const Lines& lines, const typename Format::Element* first, std::int64_t count,
                  int width, std::int64_t steps, std::uint32_t* out) {
  const auto* const end = end_of<typename Format::Element>(lines);
  for (std::int64_t line = 0; line < width; line += kSquare) {
    const auto across = static_cast<std::size_t>(std::min<std::int64_t>(kSquare, width - line));
    const std::int64_t present = std::clamp<std::int64_t>(count - line, 0, kSquare);
    for (std::int64_t step = 0; step < steps; step += kSquare) {
      const std::int64_t left = std::min<std::int64_t>(kSquare, steps - step);
      Lanes<typename Format::Unit> row[kSquare] = {};
      for (std::int64_t i = 0; i < present; ++i) {
        const auto* from = first + (line + i) * lines.line_stride + step * Format::kElements;
        row[i] = load_units<Format>(from, left, end);
      }
      transpose(row);
      for (std::int64_t i = 0; i < left; ++i) {
        const Words words = Format::widen(row[i]);
        std::memcpy(out + (step + i) * width + line, &words, across * sizeof(std::uint32_t));
      }
    }
  }
}

template <typename Format>
void pack(const Lines& lines, std::int64_t first_line, int width, std::int64_t steps,
          std::uint32_t* out) {
  using Element = typename Format::Element;
  const std::int64_t count = std::min<std::int64_t>(width, lines.count - first_line);
  const Element* first =
      reinterpret_cast<const Element*>(lines.first) + first_line * lines.line_stride;
  std::int64_t packed = std::min(steps, lines.depth / Format::kElements);
  if (lines.depth_stride == 1) {
    pack_squares<Format>(lines, first, count, width, packed, out);
  } else if (lines.line_stride == 1 && count == width) {
    switch (width) {
      case 8:
        pack_runs<Format, 8>(lines, first, packed, out);
        break;
      case 16:
        pack_runs<Format, 16>(lines, first, packed, out);
        break;
      case 32:
        pack_runs<Format, 32>(lines, first, packed, out);
        break;
      default:
        packed = 0;
    }
  } else {
    packed = 0;
  }
  pack_words<Format>(lines, first, count, width, packed, steps, out);
}

/// A line's words side by side.
template <typename Format>
Strides pack_by_line(const Lines& lines, const typename Format::Element* first, std::int64_t count,
                     std::int64_t steps, std::uint32_t flip, std::uint32_t* out) {
  const auto* const end = end_of<typename Format::Element>(lines);
  const std::int64_t whole_steps = std::min(steps, lines.depth / Format::kElements);
  const Strides strides{.line = ceil_div(steps, kSquare) * kSquare, .step = 1};
  for (std::int64_t line = 0; line < count; ++line, out += strides.line) {
    const auto* in = first + line * lines.line_stride;
    for (std::int64_t step = 0; step < whole_steps; step += kSquare) {
      const Words words = Format::widen(load_units<Format>(in + step * Format::kElements,
                                                           whole_steps - step, end)) ^
                          flip;
      std::memcpy(out + step, &words, sizeof words);
    }
    for (std::int64_t step = whole_steps; step < steps; ++step) {
      out[step] = word_at<Format>(lines, in, step) ^ flip;
    }
  }
  return strides;
}

/// A step's words side by side; lines lie so.
template <typename Format>
Strides pack_by_step(const Lines& lines, const typename Format::Element* first, std::int64_t count,
                     std::int64_t steps, std::uint32_t flip, std::uint32_t* out) {
  constexpr int kElements = Format::kElements;
  const auto* const end = end_of<typename Format::Element>(lines);
  const std::int64_t whole_steps = std::min(steps, lines.depth / kElements);
  const Strides strides{.line = 1, .step = ceil_div(count, kSquare) * kSquare};
  for (std::int64_t step = 0; step < steps; ++step, out += strides.step) {
    const auto* in = first + step * kElements * lines.depth_stride;
    std::int64_t line = 0;
    if (step < whole_steps) {
      const std::int64_t readable = end - (in + (kElements - 1) * lines.depth_stride);
      for (; line < count && line + kSquare <= readable; line += kSquare) {
        pack_run<Format, kSquare>(in + line, lines.depth_stride, flip, out + line);
      }
    }
    for (; line < count; ++line) out[line] = word_at<Format>(lines, first + line, step) ^ flip;
  }
  return strides;
}

/// A line's words side by side, where a step's lie so: squares are transposed.
template <typename Format>
Strides pack_turned(const Lines& lines, const typename Format::Element* first, std::int64_t count,
                    std::int64_t steps, std::uint32_t* out) {
  static_assert(Format::kElements == 1);
  const auto* const end = end_of<typename Format::Element>(lines);
  const std::int64_t whole_steps = std::min(steps, lines.depth);
  const Strides strides{.line = ceil_div(steps, kSquare) * kSquare, .step = 1};
  for (std::int64_t line = 0; line < count; line += kSquare, out += kSquare * strides.line) {
    const std::int64_t left = std::min<std::int64_t>(kSquare, count - line);
    for (std::int64_t step = 0; step < strides.line; step += kSquare) {
      Lanes<typename Format::Unit> row[kSquare] = {};
      for (std::int64_t i = 0; i < std::min<std::int64_t>(kSquare, whole_steps - step); ++i) {
        row[i] = load_units<Format>(first + line + (step + i) * lines.depth_stride, left, end);
      }
      transpose(row);
      for (std::int64_t i = 0; i < kSquare; ++i) {
        const Words words = Format::widen(row[i]);
        std::memcpy(out + i * strides.line + step, &words, sizeof words);
      }
    }
  }
  return strides;
}

template <typename Format>
Strides pack_in_place(const Lines& lines, std::int64_t first_line, std::int64_t count,
                      std::int64_t steps, std::uint32_t flip, std::uint32_t* out) {
  const auto* first = reinterpret_cast<const typename Format::Element*>(lines.first) +
                      first_line * lines.line_stride;
  if (lines.depth_stride == 1) return pack_by_line<Format>(lines, first, count, steps, flip, out);
  if constexpr (std::is_same_v<Format, Bf16Words>) {
    return pack_turned<Format>(lines, first, count, steps, out);
  } else {
    return pack_by_step<Format>(lines, first, count, steps, flip, out);
  }
}

/// Calls `work` with the format of these words.
template <typename Work>
auto in_format(PanelWords words, const Work& work) {
  switch (words) {
    case PanelWords::kBf16:
      return work(Bf16Words());
    case PanelWords::kBf16Pairs:
      return work(Bf16Pairs());
    case PanelWords::kInt8Pairs:
      return work(Int8Pairs());
    case PanelWords::kInt8Quads:
      break;
  }
  return work(Int8Quads());
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
                std::uint32_t* out) {
  in_format(lines.words,
            [&]<typename Format>(Format) { pack<Format>(lines, first_line, width, steps, out); });
}

Strides pack_lines(const Lines& lines, std::int64_t first_line, std::int64_t count,
                   std::int64_t steps, std::uint32_t flip, std::uint32_t* out) {
  return in_format(lines.words, [&]<typename Format>(Format) {
    return pack_in_place<Format>(lines, first_line, count, steps, flip, out);
  });
}

}  // namespace systole
