#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "systole/cosim/fields.h"
#include "systole/hls/float.h"
#include "systole/hls/int.h"
#include "systole/hls/stream.h"
#include "systole/hls/vec.h"

namespace systole::cosim {

using Bits = unsigned __int128;
inline constexpr int kMostBits = 128;  ///< in a Bits; ports.h transports wider leaves

/// The width of a hardware value; 0 for a struct or an array.
template <typename T>
inline constexpr int leaf_width = 0;
template <int kBits>
inline constexpr int leaf_width<hls::UInt<kBits>> = kBits;
template <int kBits>
inline constexpr int leaf_width<hls::Int<kBits>> = kBits;
template <int kExponentBits, int kFractionBits>
inline constexpr int leaf_width<hls::Float<kExponentBits, kFractionBits>> =
    1 + kExponentBits + kFractionBits;
template <>
inline constexpr int leaf_width<bool> = 1;

struct EnumRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// An enum without an underlying type has no value beyond the bits of its enumerators; clang warns
// of others, and finds no name for them, which is what is asked here.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wenum-constexpr-conversion"

/// The values within -128 .. 1023 that T's underlying type has.
template <typename T>
consteval EnumRange possible_values() {
  using Limits = std::numeric_limits<std::underlying_type_t<T>>;
  return {.low = Limits::is_signed ? -128 : 0,
          .high = static_cast<std::int64_t>(std::min<std::uint64_t>(1023, Limits::max()))};
}

/// The least and the greatest position in the list of values that has an enumerator; {0, -1} if
/// none has. Clang spells the whole list in the function's name: "mine::Opcode::kLoad" where a
/// value has an enumerator, "(mine::Opcode)7" where it has none. One name for many values, because
/// a function for each costs a compiler milliseconds.
template <typename T, T... kValues>
consteval EnumRange named_positions() {
  const std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::string_view kType = "[T = ", kList = ", kValues = <";
  const std::size_t type = text.find(kType) + kType.size();
  const std::size_t list = text.find(kList, type);
  const std::string_view name = text.substr(type, list - type);
  EnumRange range{0, -1};
  std::size_t at = list + kList.size();
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(sizeof...(kValues)); ++i) {
    const std::size_t number = at + name.size() + 2;
    const bool is_cast = text[at] == '(' && number < text.size() && text[number - 1] == ')';
    if (is_cast && (text[number] == '-' || (text[number] >= '0' && text[number] <= '9'))) {
      at = text.find(',', number);
    } else {
      range = {range.high < 0 ? i : range.low, i};
      for (int depth = 0; depth > 0 || (text[at] != ',' && text[at] != '>'); ++at) {
        depth += (text[at] == '<' || text[at] == '(') - (text[at] == '>' || text[at] == ')');
      }
    }
    at += 2;
  }
  return range;
}

template <typename T>
consteval EnumRange enum_range() {
  // Looking a name up in it defines the enum of a class template, which nothing else may have done.
  static_cast<void>(requires { T::kNoEnumerator; });
  constexpr EnumRange kPossible = possible_values<T>();
  return []<std::int64_t... kIndices>(std::integer_sequence<std::int64_t, kIndices...>) {
    const EnumRange named = named_positions<T, static_cast<T>(kPossible.low + kIndices)...>();
    if (named.high < 0) return EnumRange{};
    return EnumRange{std::min<std::int64_t>(0, kPossible.low + named.low),
                     std::max<std::int64_t>(0, kPossible.low + named.high)};
  }(std::make_integer_sequence<std::int64_t, kPossible.high - kPossible.low + 1>());
}
#pragma clang diagnostic pop

/// The least and the greatest of an enum's enumerators. C++ cannot list them, so an enum of 16 bits
/// or more that has others than -128 .. 1023 says so:
///
///     template <>
///     inline constexpr systole::cosim::EnumRange systole::cosim::kEnumRange<mine::Opcode> =
///         {0, 0x8000};
template <typename T>
inline constexpr EnumRange kEnumRange = enum_range<T>();
template <typename T>
inline constexpr bool kEnumIsSigned = kEnumRange<T>.low < 0;
template <typename T>
consteval int enum_width() {
  constexpr auto kOne = std::int64_t{1};
  const int sign = kEnumIsSigned<T> ? 1 : 0;
  int bits = 1;
  while (kOne << (bits - sign) <= kEnumRange<T>.high ||
         -(kOne << (bits - sign)) > kEnumRange<T>.low) {
    ++bits;
  }
  return bits;
}
template <typename T>
  requires std::is_enum_v<T>
inline constexpr int leaf_width<T> = enum_width<T>();

template <typename T>
Bits bits_of(const T& leaf) {
  if constexpr (std::is_same_v<T, bool>) {
    return leaf ? 1 : 0;
  } else if constexpr (hls::kIsFloat<T>) {
    return bits_of(leaf.bits());
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<Bits>(leaf) & ((Bits{1} << leaf_width<T>)-1);
  } else {
    static_assert(T::kWidth <= kMostBits, "this bench takes values of up to 128 bits");
    using Raw = unsigned _BitInt(T::kWidth);
    return static_cast<Bits>(static_cast<Raw>(leaf.raw()));
  }
}

template <typename T>
void set_bits(T& leaf, Bits bits) {
  if constexpr (std::is_same_v<T, bool>) {
    leaf = (bits & 1) != 0;
  } else if constexpr (hls::kIsFloat<T>) {
    leaf = T::from_bits(T::Bits::from_raw(static_cast<typename T::Bits::Raw>(bits)));
  } else if constexpr (std::is_enum_v<T>) {
    using Value = std::underlying_type_t<T>;
    constexpr int kRest = 8 * static_cast<int>(sizeof(Value)) - leaf_width<T>;
    using Raw = std::make_unsigned_t<Value>;
    const auto raised = static_cast<Raw>(static_cast<Raw>(bits) << kRest);
    leaf = static_cast<T>(kEnumIsSigned<T> ? static_cast<Value>(raised) >> kRest
                                           : static_cast<Value>(raised >> kRest));
  } else {
    static_assert(T::kWidth <= kMostBits, "this bench takes values of up to 128 bits");
    leaf = T::from_raw(static_cast<typename T::Raw>(bits));
  }
}

template <typename T>
inline constexpr bool is_beat = false;
template <typename T>
inline constexpr bool is_beat<hls::Beat<T>> = true;

/// Whether an array of T is one port with all elements side by side; an array of structs has a port
/// for each field.
template <typename T>
inline constexpr bool is_one_port = leaf_width<T> > 0;
template <typename T, std::size_t kSize>
inline constexpr bool is_one_port<T[kSize]> = is_one_port<T>;
template <typename T, int kSize>
inline constexpr bool is_one_port<hls::Vec<T, kSize>> = is_one_port<T>;
template <typename T, std::size_t kSize>
inline constexpr bool is_one_port<std::array<T, kSize>> = is_one_port<T>;

/// How many elements a C array or a std::array of them has; 0 for anything else.
template <typename T>
inline constexpr int array_size = 0;
template <typename T, std::size_t kSize>
inline constexpr int array_size<T[kSize]> = static_cast<int>(kSize);
template <typename T, std::size_t kSize>
inline constexpr int array_size<std::array<T, kSize>> = static_cast<int>(kSize);

template <typename T, typename Visit>
void for_each_leaf(T& value, const Visit& visit, bool means = true);

/// Appends how many leaves each port of a value has, in the order of the ports.
template <typename T>
void append_port_sizes(T& value, std::vector<int>& sizes) {
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_empty_v<Plain>) {
    return;
  } else if constexpr (is_one_port<Plain>) {
    int leaves = 0;
    for_each_leaf(value, [&](auto&) { ++leaves; });
    sizes.push_back(leaves);
  } else if constexpr (is_beat<Plain>) {
    append_port_sizes(value.valid, sizes);
    append_port_sizes(value.data, sizes);
  } else if constexpr (array_size<Plain> > 0) {
    std::vector<int> of_one;
    append_port_sizes(value[0], of_one);
    for (const int size : of_one) sizes.push_back(size * array_size<Plain>);
  } else if constexpr (requires { Plain::kLanes; }) {
    append_port_sizes(value.lane, sizes);
  } else if constexpr (requires { value.each_field([](auto&) {}); }) {
    value.each_field([&](auto& field) { append_port_sizes(field, sizes); });
  } else {
    with_fields(value, [&](auto&... fields) { (append_port_sizes(fields, sizes), ...); });
  }
}

/// The first port of every element, then the second of every element, and so on, as in a module: a
/// member that is an array is one port, and its elements stay side by side.
template <typename Array, typename Visit>
void for_each_field_of_all(Array& elements, const Visit& visit, bool means) {
  std::vector<int> sizes;
  append_port_sizes(elements[0], sizes);
  int first = 0;
  for (const int size : sizes) {
    for (auto& element : elements) {
      int leaf = 0;
      for_each_leaf(
          element,
          [&](auto& value, bool value_means) {
            const int place = leaf++ - first;
            if (place < 0 || place >= size) return;
            if constexpr (std::is_invocable_v<Visit, decltype(value), bool>) {
              visit(value, value_means);
            } else {
              visit(value);
            }
          },
          means);
    }
    first += size;
  }
}

/// Visits every UInt, Int and bool of a struct in the order of the module's ports: as declared,
/// element 0 first. A visitor of two arguments is also told whether the leaf is defined: a stream's
/// data is while it is valid.
///
/// Limits   as many fields a struct as in fields.h; a larger struct needs a template member
///          each_field(visit)
template <typename T, typename Visit>
void for_each_leaf(T& value, const Visit& visit, bool means) {
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_empty_v<Plain>) {
    return;
  } else if constexpr (leaf_width<Plain> > 0) {
    if constexpr (std::is_invocable_v<Visit, T&, bool>) {
      visit(value, means);
    } else {
      visit(value);
    }
  } else if constexpr (is_beat<Plain>) {
    for_each_leaf(value.valid, visit, means);
    for_each_leaf(value.data, visit, means && static_cast<bool>(value.valid));
  } else if constexpr (array_size<Plain> > 0) {
    if constexpr (is_one_port<Plain>) {
      for (auto& element : value) for_each_leaf(element, visit, means);
    } else {
      for_each_field_of_all(value, visit, means);
    }
  } else if constexpr (requires { Plain::kLanes; }) {
    for_each_leaf(value.lane, visit, means);
  } else if constexpr (requires { value.each_field([](auto&) {}); }) {
    value.each_field([&](auto& field) { for_each_leaf(field, visit, means); });
  } else {
    with_fields(value, [&](auto&... fields) { (for_each_leaf(fields, visit, means), ...); });
  }
}

}  // namespace systole::cosim
