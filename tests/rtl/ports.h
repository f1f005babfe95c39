#pragma once

#include <cstdint>
#include <cstring>

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

/// Kernel values to and from the ports of a Verilated module.
///
/// Shapes   Verilator keeps a port of up to 64 bits in an unsigned integer and a wider one in
///          32-bit words, lowest first; lane 0 of a Vec is lowest
/// Limits   a UInt of at most 64 bits; lanes of a Vec are 1 to 8 whole bytes
template <typename Value>
struct PortShape;
template <int kBits>
struct PortShape<hls::UInt<kBits>> {
  static_assert(kBits <= 64, "a wider port is a Vec");
  static constexpr int kLanes = 1;
  static constexpr int kLaneBits = kBits;
};
template <int kBits, int kCount>
struct PortShape<hls::Vec<hls::UInt<kBits>, kCount>> {
  static_assert(kBits % 8 == 0 && kBits <= 64, "lanes are whole bytes");
  static constexpr int kLanes = kCount;
  static constexpr int kLaneBits = kBits;
};

template <int kBits>
std::uint64_t native_lane(const hls::UInt<kBits>& value, int) {
  return value.value();
}
template <int kBits, int kLanes>
std::uint64_t native_lane(const hls::Vec<hls::UInt<kBits>, kLanes>& value, int lane) {
  return value[lane].value();
}

/// Lane `lane` of a Verilated port that carries a Value.
template <typename Value, typename Port>
std::uint64_t port_lane(const Port& port, int lane) {
  using Shape = PortShape<Value>;
  if constexpr (Shape::kLanes == 1 && sizeof(Port) <= 8) {
    return static_cast<std::uint64_t>(port);
  } else {
    static_assert(sizeof(Port) * 8 == Shape::kLanes * Shape::kLaneBits, "the port has other lanes");
    constexpr std::size_t kLaneBytes = Shape::kLaneBits / 8;
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(&port) + kLaneBytes * lane, kLaneBytes);
    return value;
  }
}

template <typename Value, typename Port>
void set_port_lane(Port& port, int lane, std::uint64_t value) {
  using Shape = PortShape<Value>;
  if constexpr (Shape::kLanes == 1 && sizeof(Port) <= 8) {
    port = static_cast<Port>(value);
  } else {
    static_assert(sizeof(Port) * 8 == Shape::kLanes * Shape::kLaneBits, "the port has other lanes");
    constexpr std::size_t kLaneBytes = Shape::kLaneBits / 8;
    std::memcpy(reinterpret_cast<char*>(&port) + kLaneBytes * lane, &value, kLaneBytes);
  }
}

template <typename Port, typename Value>
void set_port(Port& port, const Value& value) {
  for (int lane = 0; lane < PortShape<Value>::kLanes; ++lane) {
    set_port_lane<Value>(port, lane, native_lane(value, lane));
  }
}

}  // namespace systole::tests
