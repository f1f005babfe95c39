#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "host/cpu/parallel.h"
#include "host/python/plugin/context.h"

namespace systole::tensorflow {

/// The shape of an elementwise operation on these operands, as NumPy broadcasts them.
///
/// Errors   Failure
Shape broadcast(const Shape& a, const Shape& b);

/// A tensor of `shape` as lines of consecutive elements, and where each operand's elements lie for
/// them. Operands broadcast: they have the shape's dimensions, or 1, or fewer in front.
class Lines {
 public:
  Lines(const Shape& shape, std::initializer_list<const Shape*> operands);

  /// From one element of a line to the next: 0 or 1.
  std::int64_t step(std::size_t operand) const { return strides_[operand].back(); }

  /// How many parts of at least a thread's work it has, up to `most`.
  std::int64_t parts(std::int64_t most) const {
    constexpr std::int64_t kElementsOfPart = 1 << 17;
    return std::clamp<std::int64_t>(count(extents_) / kElementsOfPart, 1, most);
  }

  /// Calls line(first element, its offset in each operand, elements) for each line of a part: whole
  /// lines, or its share of each where lines are few.
  template <typename Line>
  void each(std::int64_t part, std::int64_t parts, const Line& line) const {
    if (count(extents_) == 0) return;
    const std::int64_t length = extents_.back();
    const std::int64_t lines = count(extents_) / length;
    const bool by_lines = lines >= parts;
    const auto cut = [&](std::int64_t whole, bool here, std::int64_t at) {
      return here ? whole * at / parts : at == part ? 0 : whole;
    };
    const std::int64_t begin = cut(length, !by_lines, part), end = cut(length, !by_lines, part + 1);
    const std::int64_t first = cut(lines, by_lines, part), last = cut(lines, by_lines, part + 1);
    Shape place = place_of(first);
    Offsets offsets = offsets_of(place, begin);
    for (std::int64_t i = first; i < last; ++i) {
      line(i * length + begin, offsets, end - begin);
      next(place, offsets);
    }
  }

  /// The same for all lines.
  template <typename Line>
  void each(const Line& line) const {
    each(0, 1, line);
  }

  /// The same for all lines, on several threads.
  template <typename Line>
  void each_on(int threads, const Line& line) const {
    const std::int64_t parts = this->parts(threads);
    graph::for_each_part(threads, parts, [&](std::int64_t part) { each(part, parts, line); });
  }

 private:
  using Offsets = std::array<std::int64_t, 3>;

  Shape place_of(std::int64_t line) const;
  Offsets offsets_of(const Shape& place, std::int64_t first) const;
  void next(Shape& place, Offsets& offsets) const;

  Shape extents_;               // neighbours that all operands have side by side are one
  std::vector<Shape> strides_;  // of each operand; 0 where it repeats
};

/// y[i] = function(a[i], b[i]).
template <typename In, typename Out, typename Function>
void apply(int threads, const Lines& lines, const In* a, const In* b, Out* y,
           const Function& function) {
  const auto with_steps = [&](auto step_a, auto step_b) {
    lines.each_on(threads, [&](std::int64_t first, const auto& offsets, std::int64_t length) {
      const In *from_a = a + offsets[0], *from_b = b + offsets[1];
      for (std::int64_t i = 0; i < length; ++i) {
        y[first + i] = function(from_a[i * step_a()], from_b[i * step_b()]);
      }
    });
  };
  using Zero = std::integral_constant<std::int64_t, 0>;
  using One = std::integral_constant<std::int64_t, 1>;
  if (lines.step(0) == 0 && lines.step(1) == 0) return with_steps(Zero(), Zero());
  if (lines.step(0) == 0) return with_steps(Zero(), One());
  if (lines.step(1) == 0) return with_steps(One(), Zero());
  with_steps(One(), One());
}

}  // namespace systole::tensorflow
