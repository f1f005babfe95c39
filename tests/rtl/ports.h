#pragma once

#include <cstdint>
#include <cstring>

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

/// Kernel values to and from the ports of a Verilated module.
///
/// Shapes   Verilator keeps a port of up to 64 bits in an unsigned integer and a wider one in
/// 32-bit
///          words, lowest first; lane 0 of a Vec is lowest. Lanes are 8, 16 or 32 bits.
template <typename Port, int kBits>
void set_port(Port& port, const hls::UInt<kBits>& value) {
  port = static_cast<Port>(value.value());
}

template <typename Port, int kBits, int kLanes>
void set_port(Port& port, const hls::Vec<hls::UInt<kBits>, kLanes>& lanes) {
  static_assert(kBits % 8 == 0 && sizeof(Port) * 8 == kBits * kLanes);
  for (int n = 0; n < kLanes; ++n) {
    const std::uint64_t lane = lanes[n].value();
    std::memcpy(reinterpret_cast<char*>(&port) + n * (kBits / 8), &lane, kBits / 8);
  }
}

template <typename Port, int kBits>
bool same(const Port& port, const hls::UInt<kBits>& value) {
  return static_cast<std::uint64_t>(port) == value.value();
}

template <typename Port, int kBits, int kLanes>
bool same(const Port& port, const hls::Vec<hls::UInt<kBits>, kLanes>& lanes) {
  Port expected;
  set_port(expected, lanes);
  return std::memcmp(&port, &expected, sizeof(Port)) == 0;
}

/// One rising edge; the outputs of the clock that it ends are there after settle().
template <typename Model>
void settle(Model& model) {
  model.clk_i = 0;
  model.eval();
}
template <typename Model>
void rise(Model& model) {
  model.clk_i = 1;
  model.eval();
}

}  // namespace systole::tests
