#pragma once

#include "systole/hls/int.h"

namespace systole::hls {

/// A memory of kDepth words with one read and one write port: the cell rtl/cells/systole_ram.sv.
///
/// Shapes   Word is an integer or a Vec of integers; address 0 .. kDepth - 1
/// Limits   kDepth a power of two, so every address has a word
/// Timing   read data one clock after its address, held while read_enable is low; a read of the
///          address that is written at the same edge returns the old word
template <typename Word, int kDepth>
class Ram {
  static_assert(kDepth >= 2 && (kDepth & (kDepth - 1)) == 0, "a Ram's depth is a power of two");

 public:
  using Address = UInt<index_bits(kDepth)>;
  struct Inputs {
    UInt1 read_enable;
    Address read_address;
    UInt1 write_enable;
    Address write_address;
    Word write_data;
  };
  struct Outputs {
    Word read_data;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.read_data = read_data_};
    if (in.read_enable) read_data_ = word_[in.read_address.value()];
    if (in.write_enable) word_[in.write_address.value()] = in.write_data;
    return out;
  }

 private:
  Word read_data_;
  Word word_[kDepth];
};

}  // namespace systole::hls
