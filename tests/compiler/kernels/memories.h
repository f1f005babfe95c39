#pragma once

#include "systole/hls/int.h"
#include "systole/hls/memory.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

inline constexpr UInt<11> kPrimes[16] = {2,  3,  5,  7,  11, 13, 17,   19,
                                         23, 29, 31, 37, 41, 43, 2039, 47};
inline constexpr Int<70> kWideTable[2] = {-1, 0x123456789abcdef};

/// Memories with lanes, with one port and with two, and constant ones: every port at random, so
/// that reads and writes meet. Nothing is shown until every word has been written and read once.
struct MemoryCells {
  struct Inputs {
    UInt<3> address;
    UInt<3> other;
    UInt<1> enable;
    UInt<1> write;
    UInt<1> read;
    UInt<3> mask;
    Vec<UInt<5>, 3> data;
  };
  struct Outputs {
    Vec<UInt<5>, 3> masked;
    UInt<9> single;
    Int<14> a;
    Int<14> b;
    UInt<11> prime;
    Int<70> wide;
  };
  Outputs outputs() const {
    Outputs out;
    const Vec<UInt<5>, 3> masked = masked_.outputs().read_data;
    for (int i = 0; i < 3; ++i) out.masked[i] = shown_ ? masked[i] : UInt<5>(0);
    out.single = shown_ ? single_.outputs().read_data : UInt<9>(0);
    out.a = shown_ ? dual_.outputs().a_read_data : Int<14>(0);
    out.b = shown_ ? dual_.outputs().b_read_data : Int<14>(0);
    out.prime = shown_ ? primes_.outputs().read_data : UInt<11>(0);
    out.wide = shown_ ? wide_.outputs().read_data : Int<70>(0);
    return out;
  }
  void clock(const Inputs& in) {
    const UInt<3> address = filled_ ? in.address : slice<2, 0>(fill_);
    const UInt<1> filling = ~filled_ & ~slice<3, 3>(fill_);
    const UInt<1> reading = ~filled_ & slice<3, 3>(fill_);
    const auto word = concat(in.data[0], in.data[1], in.data[2]);
    masked_.clock({.read_enable = in.read | reading,
                   .read_address = in.other,
                   .write_mask = filled_ ? in.mask : UInt<3>(7),
                   .write_address = address,
                   .write_data = in.data});
    single_.clock({.enable = in.enable | ~filled_,
                   .write_enable = filled_ ? in.write : filling,
                   .address = address,
                   .write_data = slice<8, 0>(word)});
    dual_.clock({.a_enable = in.enable | ~filled_,
                 .a_write_enable = filled_ ? in.write : filling,
                 .a_address = address,
                 .a_write_data = as_signed(slice<14, 1>(word)),
                 .b_enable = in.read | reading,
                 .b_address = in.other});
    primes_.clock({.enable = in.read | reading, .address = concat(in.write, in.other)});
    wide_.clock({.enable = in.enable | reading, .address = in.write});
    shown_ = filled_;
    if (!filled_) fill_ = truncate<UInt<4>>(fill_ + UInt<1>(1));
    filled_ = filled_ | as_bit(fill_ == 15);
  }
  void reset() {
    fill_ = UInt<4>(0);
    filled_ = UInt<1>(0);
    shown_ = UInt<1>(0);
  }

 private:
  MaskedRam<Vec<UInt<5>, 3>, 8> masked_;
  SinglePortRam<UInt<9>, 8> single_;
  DualPortRam<Int<14>, 8> dual_;
  Rom<&kPrimes> primes_;
  Rom<&kWideTable> wide_;
  UInt<4> fill_;
  UInt<1> filled_;
  UInt<1> shown_;
};

}  // namespace systole::tests
