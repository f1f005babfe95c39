#pragma once

#include <array>
#include <cstdint>
#include <utility>

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

  /// Calls line(first element, its offset in each operand, elements) for each line.
  template <typename Line>
  void each(const Line& line) const {
    const std::int64_t length = extents_.back(),
                       lines = count(extents_) / std::max<std::int64_t>(length, 1);
    Shape place(extents_.size());
    std::array<std::int64_t, 3> offsets{};
    for (std::int64_t i = 0; length > 0 && i < lines; ++i) {
      line(i * length, offsets, length);
      for (std::size_t d = extents_.size() - 1; d-- > 0;) {
        for (std::size_t k = 0; k < strides_.size(); ++k) offsets[k] += strides_[k][d];
        if (++place[d] < extents_[d]) break;
        for (std::size_t k = 0; k < strides_.size(); ++k)
          offsets[k] -= strides_[k][d] * extents_[d];
        place[d] = 0;
      }
    }
  }

 private:
  Shape extents_;               // neighbours that all operands have side by side are one
  std::vector<Shape> strides_;  // of each operand; 0 where it repeats
};

/// y[i] = function(a[i], b[i]).
template <typename In, typename Out, typename Function>
void apply(const Lines& lines, const In* a, const In* b, Out* y, const Function& function) {
  const auto with_steps = [&](auto step_a, auto step_b) {
    lines.each([&](std::int64_t first, const auto& offsets, std::int64_t length) {
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
