#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The StableHLO text of one product or convolution.
namespace systole::python {

using Shape = std::vector<std::int64_t>;

std::int64_t count(std::span<const std::int64_t> shape);

/// The product of two matrices, which may lie transposed.
///
/// asked   how many products of bf16 numbers it shall be worth: 1, 3, 6 or 9 (docs/numerics.md)
std::string product_text(const Shape& a, const Shape& b, const Shape& y, bool transpose_a,
                         bool transpose_b, std::int64_t asked = 1);

/// A convolution of two tensors with four dimensions.
struct ConvolutionText {
  std::string_view dimensions;          ///< "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
  std::array<std::int64_t, 2> strides;  ///< of rows and columns, as all others
  std::array<std::int64_t, 4> padding;  ///< top, bottom, left, right
  std::array<std::int64_t, 2> a_dilation{1, 1}, b_dilation{1, 1};
  bool mirrors_b = false;  ///< along rows and columns, its first two dimensions
  std::int64_t asked = 1;  ///< as in product_text, without 9
};
std::string convolution_text(const Shape& a, const Shape& b, const Shape& y,
                             const ConvolutionText& convolution);

}  // namespace systole::python
