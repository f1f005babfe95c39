#include "host/graph/type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace systole::graph {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"f32", "bf16", "i32", "ui32",
                                                    "i8",  "i1",   "ui8"};

// What JAX counts random bits with.
constexpr std::string_view kRandomBits =
    "; random bits need jax.config.update(\"jax_threefry_partitionable\", False)";

}  // namespace

bool is_float(Element element) { return element == Element::kF32 || element == Element::kBf16; }
bool is_byte(Element element) { return element == Element::kS8 || element == Element::kU8; }
bool is_integer(Element element) { return !is_float(element) && element != Element::kPred; }

std::string_view to_string(Element element) { return kNames[static_cast<std::size_t>(element)]; }

std::string to_string(const Type& type) {
  return type.shape.empty()
             ? fmt::format("tensor<{}>", to_string(type.element))
             : fmt::format("tensor<{}x{}>", fmt::join(type.shape, "x"), to_string(type.element));
}

std::string to_string(const Integers& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

Element parse_element(std::string_view word) {
  const auto found = std::ranges::find(kNames, word);
  if (found == kNames.end()) {
    throw std::invalid_argument(fmt::format("unknown element type '{}': choose from {}{}", word,
                                            fmt::join(kNames, ", "),
                                            word == "ui64" ? kRandomBits : ""));
  }
  return static_cast<Element>(found - kNames.begin());
}

std::int64_t element_count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

bool is_countable(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || size > kMostElements) return false;
    if (size > 1 && count > kMostElements / size) return false;
    count *= std::max<std::int64_t>(size, 1);
  }
  return true;
}

Integers row_major_strides(const Shape& shape) {
  Integers strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

Integers counting(std::int64_t count) {
  Integers numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

bool contains(const Integers& numbers, std::int64_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

}  // namespace systole::graph
