#pragma once

#include <type_traits>

#include "systole/hls/int.h"
#include "systole/hls/ram.h"
#include "systole/hls/vec.h"

namespace systole::hls {

/// A Ram with a write enable for each lane: the cell rtl/cells/systole_masked_ram.sv.
///
/// Shapes   Word is a Vec<T, lanes>; bit i of write_mask writes lane i
/// Limits   kDepth a power of two; block RAM needs lanes of a multiple of 8 or 9 bits
/// Timing   as Ram: read data one clock after its address, held while read_enable is low; a read
///          of the address that is written at the same edge returns the old word
template <typename Word, int kDepth>
class MaskedRam {
  static_assert(kDepth >= 2 && (kDepth & (kDepth - 1)) == 0, "a memory's depth is a power of two");

 public:
  using Address = UInt<index_bits(kDepth)>;
  struct Inputs {
    UInt1 read_enable;
    Address read_address;
    UInt<Word::kLanes> write_mask;
    Address write_address;
    Word write_data;
  };
  struct Outputs {
    Word read_data;
  };

  Outputs outputs() const { return {.read_data = read_data_}; }
  void clock(const Inputs& in) {
    if (in.read_enable) read_data_ = word_[in.read_address.value()];
    for (int lane = 0; lane < Word::kLanes; ++lane) {
      if ((in.write_mask.raw() >> lane & 1) != 0) {
        word_[in.write_address.value()][lane] = in.write_data[lane];
      }
    }
  }

 private:
  Word read_data_;
  Word word_[kDepth];
};

/// A memory with one port, which reads or writes: the cell rtl/cells/systole_single_port_ram.sv.
///
/// Limits   kDepth a power of two
/// Timing   read data one clock after its address, held while enable is low and while the port
///          writes
template <typename Word, int kDepth>
class SinglePortRam {
  static_assert(kDepth >= 2 && (kDepth & (kDepth - 1)) == 0, "a memory's depth is a power of two");

 public:
  using Address = UInt<index_bits(kDepth)>;
  struct Inputs {
    UInt1 enable;
    UInt1 write_enable;
    Address address;
    Word write_data;
  };
  struct Outputs {
    Word read_data;
  };

  Outputs outputs() const { return {.read_data = read_data_}; }
  void clock(const Inputs& in) {
    if (!in.enable) return;
    if (in.write_enable) {
      word_[in.address.value()] = in.write_data;
    } else {
      read_data_ = word_[in.address.value()];
    }
  }

 private:
  Word read_data_;
  Word word_[kDepth];
};

/// A memory with two ports, one that reads or writes and one that reads: the cell
/// rtl/cells/systole_dual_port_ram.sv.
///
/// Limits   kDepth a power of two. Only port a writes: block RAMs differ in the result of two
///          writes to one address
/// Timing   each port as SinglePortRam's; port b reads the old word at the edge at which port a
///          writes the same address
template <typename Word, int kDepth>
class DualPortRam {
  static_assert(kDepth >= 2 && (kDepth & (kDepth - 1)) == 0, "a memory's depth is a power of two");

 public:
  using Address = UInt<index_bits(kDepth)>;
  struct Inputs {
    UInt1 a_enable;
    UInt1 a_write_enable;
    Address a_address;
    Word a_write_data;
    UInt1 b_enable;
    Address b_address;
  };
  struct Outputs {
    Word a_read_data;
    Word b_read_data;
  };

  Outputs outputs() const { return {.a_read_data = a_read_data_, .b_read_data = b_read_data_}; }
  void clock(const Inputs& in) {
    if (in.b_enable) b_read_data_ = word_[in.b_address.value()];
    if (!in.a_enable) return;
    if (in.a_write_enable) {
      word_[in.a_address.value()] = in.a_write_data;
    } else {
      a_read_data_ = word_[in.a_address.value()];
    }
  }

 private:
  Word a_read_data_;
  Word b_read_data_;
  Word word_[kDepth];
};

/// A constant table with a registered output: the cell rtl/cells/systole_rom.sv. A table that is
/// indexed directly is looked up in the same clock; this one is block RAM and takes a clock.
///
/// Shapes   kTable points to a constexpr array of UInt or Int with a power of two of elements:
///          Rom<&kSine>
/// Timing   read data one clock after its address, held while enable is low
template <const auto* kTable>
class Rom {
  using Table = std::remove_pointer_t<decltype(kTable)>;
  static constexpr int kDepth = static_cast<int>(std::extent_v<Table>);
  static_assert(kDepth >= 2 && (kDepth & (kDepth - 1)) == 0, "a Rom's depth is a power of two");

 public:
  using Word = std::remove_const_t<std::remove_extent_t<Table>>;
  static_assert(HlsInteger<Word>, "a Rom holds UInt<N> or Int<N>");
  using Address = UInt<index_bits(kDepth)>;
  struct Inputs {
    UInt1 enable;
    Address address;
  };
  struct Outputs {
    Word read_data;
  };

  Outputs outputs() const { return {.read_data = read_data_}; }
  void clock(const Inputs& in) {
    if (in.enable) read_data_ = (*kTable)[in.address.value()];
  }

 private:
  Word read_data_;
};

}  // namespace systole::hls
