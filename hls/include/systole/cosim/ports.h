#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "systole/cosim/leaves.h"

namespace systole::cosim {

/// A port of a generated module, by its name in SystemVerilog.
struct Port {
  std::string_view name;  ///< "sum_in_data_i"
  int width = 0;
};

/// All ports of one direction side by side, the first one lowest, as the flat top has them.
class PortBits {
 public:
  explicit PortBits(int width) : bytes_(static_cast<std::size_t>(width + 7) / 8 + kSpare) {}

  Bits get(int low, int width) const {
    Bits bits = 0;
    for (int i = 0; i < width; ++i) bits |= static_cast<Bits>(bit(low + i)) << i;
    return bits;
  }
  void set(int low, int width, Bits bits) {
    for (int i = 0; i < width; ++i) set_bit(low + i, (bits >> i & 1) != 0);
  }
  bool bit(int at) const { return (bytes_[static_cast<std::size_t>(at) / 8] >> at % 8 & 1) != 0; }
  void set_bit(int at, bool value) {
    const auto mask = static_cast<unsigned char>(1u << at % 8);
    unsigned char& byte = bytes_[static_cast<std::size_t>(at) / 8];
    byte = static_cast<unsigned char>(value ? byte | mask : byte & ~mask);
  }
  void fill(int low, int width, bool value) {
    for (int i = low; i < low + width; ++i) set_bit(i, value);
  }
  void copy(const PortBits& from, int low, int width) {
    for (int i = low; i < low + width; ++i) set_bit(i, from.bit(i));
  }
  /// Keeps the defined bits and clears the others.
  void mask(const PortBits& means) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] &= means.bytes_[i];
  }
  bool equal(const PortBits& other, int low, int width) const {
    for (int i = low; i < low + width; ++i) {
      if (bit(i) != other.bit(i)) return false;
    }
    return true;
  }
  bool operator==(const PortBits&) const = default;

  /// To and from Verilator's integer or words.
  template <typename Verilated>
  void store(Verilated& port) const {
    std::memcpy(&port, bytes_.data(), sizeof(port));
  }
  template <typename Verilated>
  void load(const Verilated& port) {
    std::memcpy(bytes_.data(), &port, sizeof(port));
  }

  /// To and from the fields of a C++ struct.
  template <typename Fields>
  void store_fields(Fields& fields) const {
    int at = 0;
    for_each_leaf(fields, [&](auto& leaf) {
      constexpr int kWidth = leaf_width<std::remove_cvref_t<decltype(leaf)>>;
      get_leaf(leaf, at);
      at += kWidth;
    });
  }
  /// Sets the bits of `means` that are defined: a stream's data is while it is valid.
  template <typename Fields>
  void load_fields(const Fields& fields, PortBits& means) {
    int at = 0;
    for_each_leaf(fields, [&](const auto& leaf, bool leaf_means) {
      constexpr int kWidth = leaf_width<std::remove_cvref_t<decltype(leaf)>>;
      set_leaf(leaf, at);
      means.fill(at, kWidth, leaf_means);
      at += kWidth;
    });
  }

 private:
  static constexpr int kWord = 64;

  /// A leaf of more bits than Bits has is taken by words.
  template <typename Leaf>
  void get_leaf(Leaf& leaf, int at) const {
    constexpr int kWidth = leaf_width<Leaf>;
    if constexpr (kWidth <= kMostBits) {
      set_bits(leaf, get(at, kWidth));
    } else {
      unsigned _BitInt(kWidth) raw = 0;
      for (int low = 0; low < kWidth; low += kWord) {
        unsigned _BitInt(kWidth) word = get(at + low, std::min(kWord, kWidth - low));
        raw |= word << low;
      }
      leaf = Leaf::from_raw(static_cast<typename Leaf::Raw>(raw));
    }
  }
  template <typename Leaf>
  void set_leaf(const Leaf& leaf, int at) {
    constexpr int kWidth = leaf_width<Leaf>;
    if constexpr (kWidth <= kMostBits) {
      set(at, kWidth, bits_of(leaf));
    } else {
      auto raw = static_cast<unsigned _BitInt(kWidth)>(leaf.raw());
      for (int low = 0; low < kWidth; low += kWord) {
        set(at + low, std::min(kWord, kWidth - low), static_cast<std::uint64_t>(raw >> low));
      }
    }
  }

  static constexpr std::size_t kSpare = 8;  ///< Verilator's ports are whole words
  std::vector<unsigned char> bytes_;
};

/// The widths of a struct's leaves, in order.
template <typename Fields>
std::vector<int> leaf_widths() {
  std::vector<int> widths;
  Fields fields{};
  for_each_leaf(fields, [&](const auto& leaf) {
    widths.push_back(leaf_width<std::remove_cvref_t<decltype(leaf)>>);
  });
  return widths;
}

inline int total_width(std::span<const Port> ports) {
  int width = 0;
  for (const Port& port : ports) width += port.width;
  return width;
}

/// Errors   std::invalid_argument when the ports are not as wide as the C++'s leaves together
inline void check_widths(std::span<const int> leaves, std::span<const Port> ports) {
  int bits = 0;
  for (const int leaf : leaves) bits += leaf;
  if (bits == total_width(ports)) return;
  throw std::invalid_argument(
      "the ports from " + std::string(ports.empty() ? "none" : ports.front().name) + " on have " +
      std::to_string(total_width(ports)) + " bits and their C++ " + std::to_string(bits) +
      "; an enum with enumerators outside -128 .. 1023 needs its systole::cosim::kEnumRange");
}

/// "0x1f", up to 128 bits.
inline std::string hex(Bits bits) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[static_cast<unsigned>(bits & 15)]);
    bits >>= 4;
  } while (bits != 0);
  return "0x" + digits;
}

}  // namespace systole::cosim
