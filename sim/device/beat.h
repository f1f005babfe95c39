#pragma once

#include <concepts>
#include <cstdint>

namespace systole {

/// What enters a matrix unit's four ports in one clock. A port without a pointer, or without
/// read_valid, is idle. Plain data, so that a simulated clock costs next to nothing to describe.
///
/// Shapes   activation, weight: N elements of 16 bits; preload: N of 32 bits; they must stay where
///          they are until the clock is over. A row address is {bank, row in bank}.
struct Beat {
  const std::uint16_t* activation = nullptr;
  const std::uint16_t* weight = nullptr;
  const std::uint32_t* preload = nullptr;
  std::uint16_t row = 0;
  std::uint16_t preload_row = 0;
  std::uint16_t read_row = 0;
  std::uint8_t weight_column = 0;
  bool plane = false;
  bool is_int8 = false;
  bool accumulate = false;
  bool weight_plane = false;
  bool read_valid = false;
};

/// A matrix unit under simulation: kN, kBankRows, reset(), tick(beat) for one rising edge, which
/// returns whether a result row leaves before it, and result() for that row's kN lanes.
template <typename T>
concept SimulatedUnit = requires(T unit, const Beat& beat) {
  { T::kN } -> std::convertible_to<int>;
  { T::kBankRows } -> std::convertible_to<int>;
  unit.reset();
  { unit.tick(beat) } -> std::same_as<bool>;
  { unit.result() } -> std::convertible_to<const std::uint32_t*>;
};

}  // namespace systole
