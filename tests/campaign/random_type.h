#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/support/random.h"

namespace systole::tests {

/// One element of a list that is not empty.
template <typename List>
const auto& any_of(Random& random, const List& list) {
  return list[random.below(static_cast<std::uint32_t>(list.size()))];
}

/// The type of a hardware value in a random kernel.
struct ValueType {
  enum Kind { kBool, kUInt, kInt };
  Kind kind = kUInt;
  int width = 1;

  bool operator==(const ValueType&) const = default;
  bool is_signed() const { return kind == kInt; }
  std::string text() const {
    return kind == kBool ? "bool" : fmt::format("{}<{}>", is_signed() ? "Int" : "UInt", width);
  }
};

/// How a kernel of another tool's spells an integer.
enum class Spelling { kPlain, kAp, kAc };

inline std::string spelled(const ValueType& type, Spelling spelling) {
  switch (spelling) {
    case Spelling::kAp:
      return fmt::format("ap_{}int<{}>", type.is_signed() ? "" : "u", type.width);
    case Spelling::kAc:
      return fmt::format("ac_int<{}, {}>", type.width, type.is_signed());
    default:
      return type.text();
  }
}

/// Most are this tree's own.
inline Spelling random_spelling(Random& random) {
  if (random.below(3) != 0) return Spelling::kPlain;
  return random.below(2) == 0 ? Spelling::kAp : Spelling::kAc;
}

/// The type of so many elements.
inline std::string random_array(Random& random, const std::string& element, int size) {
  return fmt::format("{}<{}, {}>", random.below(4) == 0 ? "std::array" : "Vec", element, size);
}

/// Widths as kernels have them: most below 20 bits, the words of a host, now and then up to 260.
inline int random_width(Random& random, int least = 1) {
  constexpr int kUsual[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 24, 31, 32, 33};
  constexpr int kRare[] = {48, 63, 64, 65, 80, 96, 127, 128, 129, 192, 260};
  int width = 0;
  while (width < least) {
    width = random.below(12) == 0 ? kRare[random.below(std::size(kRare))]
                                  : kUsual[random.below(std::size(kUsual))];
  }
  return width;
}

inline ValueType random_type(Random& random) {
  const std::uint32_t kind = random.below(8);
  if (kind == 0) return {ValueType::kBool, 1};
  if (kind < 6) return {ValueType::kUInt, random_width(random)};
  return {ValueType::kInt, random_width(random, 2)};
}

/// A type without bool: what a function takes and returns.
inline ValueType random_integer(Random& random, int widest = 4096) {
  ValueType type = random_type(random);
  while (type.width > widest) type = random_type(random);
  if (type.kind == ValueType::kBool) type = {ValueType::kUInt, 1};
  return type;
}

}  // namespace systole::tests
