#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace systole::sim {

/// One array size, and the bytes of its bus; a table of Verilated models derives its entries from
/// it.
template <int kSize, int kBusBytes = kSize>
struct ArraySize {
  static constexpr int kN = kSize;
  static constexpr int kBus = kBusBytes;
};

/// Selects compile-time facts about an array by a size known only at run time.
///
/// Shapes   each entry has kN, its array size; sizes ascend
template <typename... Entries>
struct ByArraySize {
  static constexpr std::array kSizes = {Entries::kN...};

  static bool has(int array_size) { return std::ranges::find(kSizes, array_size) != kSizes.end(); }

  /// Errors   std::invalid_argument for a size that kSizes does not name
  static void require(int array_size) {
    if (has(array_size)) return;
    throw std::invalid_argument(
        fmt::format("no {0} x {0} array: N can be {1}", array_size, fmt::join(kSizes, ", ")));
  }

  /// Calls visitor.template operator()<Entry>() for the entry of this size and returns its result.
  /// Errors   as require
  template <typename Visitor>
  static auto visit(int array_size, Visitor&& visitor) {
    require(array_size);
    return visit_first<Visitor, Entries...>(array_size, visitor);
  }

  /// Calls visitor.template operator()<Entry>() for every entry.
  template <typename Visitor>
  static void for_each(Visitor&& visitor) {
    (visitor.template operator()<Entries>(), ...);
  }

 private:
  template <typename Visitor, typename First, typename... Rest>
  static auto visit_first(int array_size, Visitor& visitor) {
    if constexpr (sizeof...(Rest) > 0) {
      if (array_size != First::kN) return visit_first<Visitor, Rest...>(array_size, visitor);
    }
    return visitor.template operator()<First>();
  }
};

/// Calls visitor.template operator()<ArraySize<N, bus_bytes>>() for the array of `Size` and returns
/// its result; 0 is N. Arrays of more than kWidest run with a bus of N bytes alone.
///
/// Errors   std::invalid_argument for a bus that is not N, 2 N or 4 N wide, or not with this array
template <typename Size, int kWidest, typename Visitor>
auto visit_bus(int bus_bytes, Visitor&& visitor) {
  constexpr int kN = Size::kN;
  if constexpr (kN <= kWidest) {
    if (bus_bytes == 2 * kN) return visitor.template operator()<ArraySize<kN, 2 * kN>>();
    if (bus_bytes == 4 * kN) return visitor.template operator()<ArraySize<kN, 4 * kN>>();
  }
  if (bus_bytes != 0 && bus_bytes != kN) {
    throw std::invalid_argument(
        fmt::format("no {0} x {0} array with a bus of {1} bytes here: it can have {0}{2}", kN,
                    bus_bytes, kN <= kWidest ? fmt::format(", {} or {}", 2 * kN, 4 * kN) : ""));
  }
  return visitor.template operator()<ArraySize<kN>>();
}

/// The arrays that can run natively with their data path; a build has those of built_sizes.h.
using NativeSizes = ByArraySize<ArraySize<4>, ArraySize<8>, ArraySize<16>, ArraySize<32>>;

/// The largest of them on wider buses.
inline constexpr int kWidestNative = 8;

/// The arrays whose control can run natively; a build has those of built_sizes.h.
using ControlSizes = ByArraySize<ArraySize<4>, ArraySize<8>, ArraySize<16>, ArraySize<32>,
                                 ArraySize<64>, ArraySize<128>>;
inline constexpr int kWidestControl = 128;

/// How to add those of `sizes` that a build with these lacks, as the end of an error; empty if
/// none.
inline std::string how_to_build(std::span<const int> built,
                                std::span<const int> sizes = NativeSizes::kSizes,
                                std::string_view option = "SYSTOLE_ARRAYS") {
  std::vector<int> missing;
  std::ranges::set_difference(sizes, built, std::back_inserter(missing));
  if (missing.empty()) return "";
  return fmt::format("; to add N = {}, configure with -D{}='{};N' and rebuild",
                     fmt::join(missing, " or "), option, fmt::join(built, ";"));
}

}  // namespace systole::sim
