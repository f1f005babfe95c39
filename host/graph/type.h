#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace systole::graph {

/// A tensor's element type, in StableHLO: f32, bf16, i32, ui32, i8, i1 and ui8.
enum class Element : std::uint8_t { kF32, kBf16, kS32, kU32, kS8, kPred, kU8 };

using Integers = std::vector<std::int64_t>;
using Shape = Integers;

/// A tensor's element and shape: tensor<128x784xf32>; a scalar has no dimensions.
struct Type {
  Element element = Element::kF32;
  Shape shape = {};

  bool operator==(const Type&) const = default;
  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
};

/// The most elements of a tensor; sizes in bytes then cannot overflow.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

bool is_float(Element element);
bool is_byte(Element element);     ///< an integer of eight bits
bool is_integer(Element element);  ///< signed or unsigned, not a predicate

std::string_view to_string(Element element);     ///< "f32"
std::string to_string(const Type& type);         ///< "tensor<2x3xf32>"
std::string to_string(const Integers& numbers);  ///< "[2, 3]"

/// Errors   std::invalid_argument for an unknown word
Element parse_element(std::string_view word);

/// The product of a shape's dimensions; 1 for a scalar.
std::int64_t element_count(const Shape& shape);

/// Whether dimensions are >= 0 and their product is at most kMostElements.
bool is_countable(const Shape& shape);

/// The distance in elements from one index to the next along each dimension, row-major.
Integers row_major_strides(const Shape& shape);

/// Calls work(index) for every index of a shape, the last dimension fastest.
template <typename Work>
void for_each_index(const Shape& shape, const Work& work) {
  Integers index(shape.size(), 0);
  for (const std::int64_t size : shape) {
    if (size == 0) return;
  }
  for (;;) {
    work(static_cast<const Integers&>(index));
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

/// 0, 1, ..., count - 1.
Integers counting(std::int64_t count);

bool contains(const Integers& numbers, std::int64_t number);

}  // namespace systole::graph
