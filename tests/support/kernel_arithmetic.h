#pragma once

#include <cstdint>

#include "hls/kernels/accumulate.h"
#include "hls/kernels/mac.h"

namespace systole::tests {

/// The kernels on plain integers, called like the oracles and the RTL.
inline std::uint32_t kernel_mac_bf16(std::uint16_t activation, std::uint16_t weight,
                                     std::uint32_t sum) {
  using namespace systole::hls;
  return static_cast<std::uint32_t>(
      kernels::mac(UInt1(0), UInt16::from(activation), UInt16::from(weight), UInt32::from(sum))
          .value());
}

inline std::int32_t kernel_mac_int8(std::int8_t activation, std::int8_t weight, std::int32_t sum) {
  using namespace systole::hls;
  const auto low_byte = [](std::int8_t x) { return UInt16::from(static_cast<std::uint8_t>(x)); };
  return static_cast<std::int32_t>(kernels::mac(UInt1(1), low_byte(activation), low_byte(weight),
                                                UInt32::from(static_cast<std::uint32_t>(sum)))
                                       .value());
}

inline std::uint32_t kernel_accumulate(bool is_int8, bool add, std::uint32_t total,
                                       std::uint32_t sum) {
  using namespace systole::hls;
  return static_cast<std::uint32_t>(
      kernels::accumulate(as_bit(is_int8), as_bit(add), UInt32::from(total), UInt32::from(sum))
          .value());
}

}  // namespace systole::tests
