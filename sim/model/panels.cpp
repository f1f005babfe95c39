#include "sim/model/panels.h"

#include <algorithm>
#include <cstring>

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

template <typename T>
void pack(const Lines& lines, const T* first, std::int64_t count, int width, std::int64_t steps,
          std::uint32_t* out) {
  constexpr int kElements = Word<T>::kElements;
  const std::int64_t whole_steps = lines.depth / kElements;
  if (count < width) std::fill_n(out, steps * width, 0u);

  if (lines.line_stride == 1 && count == width) {
    // Neighbouring lines lie side by side: a step is a run of memory.
    for (std::int64_t step = 0; step < whole_steps; ++step) {
      const T* in = first + step * kElements * lines.depth_stride;
      for (int line = 0; line < width; ++line) {
        if constexpr (kElements == 1) {
          out[step * width + line] = Word<T>::of(in[line]);
        } else {
          out[step * width + line] = Word<T>::of(in[line], in[lines.depth_stride + line]);
        }
      }
    }
  } else {
    // Few steps at a time, so that what is written across stays in the cache.
    constexpr std::int64_t kRun = 16;
    for (std::int64_t run = 0; run < whole_steps; run += kRun) {
      const std::int64_t end = std::min(run + kRun, whole_steps);
      for (std::int64_t line = 0; line < count; ++line) {
        const T* in = first + line * lines.line_stride;
        for (std::int64_t step = run; step < end; ++step) {
          out[step * width + line] =
              word_at(in + step * kElements * lines.depth_stride, lines.depth_stride, kElements);
        }
      }
    }
  }
  for (std::int64_t step = whole_steps; step < steps; ++step) {
    const std::int64_t depth = step * kElements;
    for (std::int64_t line = 0; line < width; ++line) {
      const bool inside = line < count && depth < lines.depth;
      const T* in = inside ? first + line * lines.line_stride + depth * lines.depth_stride : first;
      out[step * width + line] = word_at(in, lines.depth_stride, inside ? lines.depth - depth : 0);
    }
  }
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
