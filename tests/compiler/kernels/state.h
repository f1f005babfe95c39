#pragma once

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// A register file: written and read at variable places, cleared in a loop by reset, and seen at a
/// port, also in the clock after a reset.
struct RegisterFile {
  struct Inputs {
    UInt<3> write_index;
    UInt<1> write;
    UInt<33> data;
    UInt<3> read_index;
  };
  struct Outputs {
    UInt<33> read;
    UInt<33> zero;
    UInt<33> seven;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.read = read_, .zero = file_[0], .seven = file_[7]};
    read_ = file_[in.read_index.value()];
    if (in.write) file_[in.write_index.value()] = in.data;
    return out;
  }
  void reset() {
    for (int i = 0; i < 8; ++i) file_[i] = UInt<33>(0x12345);
    read_ = UInt<33>(0);
  }

 private:
  UInt<33> file_[8];
  UInt<33> read_;
};

/// An array that clock() addresses by constants and reset() in a loop.
struct ResetLoop {
  struct Inputs {
    UInt<6> x;
  };
  struct Outputs {
    UInt<6> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = stage_[2]};
    stage_[2] = stage_[1];
    stage_[1] = stage_[0];
    stage_[0] = in.x;
    return out;
  }
  void reset() {
    for (int i = 0; i < 3; ++i) stage_[i] = UInt<6>(21);
  }

 private:
  UInt<6> stage_[3];
};

/// Reset gives back what the registers were initialised with, in part from other constants.
struct PartialReset {
  struct Inputs {
    UInt<10> x;
    UInt<1> hold;
  };
  struct Outputs {
    UInt<10> kept;
    UInt<10> cleared;
    Vec<UInt<10>, 2> history;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.kept = kept_, .cleared = cleared_, .history = history_};
    kept_ = in.x;
    if (!in.hold) cleared_ = truncate<UInt<10>>(cleared_ + in.x);
    history_[1] = history_[0];
    history_[0] = in.x;
    return out;
  }
  void reset() {
    clear();
    history_[1] = UInt<10>(1);
  }

 private:
  void clear() { cleared_ = UInt<10>(0); }
  UInt<10> kept_;
  UInt<10> cleared_;
  Vec<UInt<10>, 2> history_;
};

/// A linear-feedback shift register and a checksum, bit by bit.
struct Feedback {
  struct Inputs {
    UInt<8> byte;
    UInt<1> valid;
  };
  struct Outputs {
    UInt<31> random;
    UInt<32> crc;
    bool parity;
  };
  Outputs clock(const Inputs& in) {
    bool parity = false;
    for (int i = 0; i < 8; ++i) parity ^= ((in.byte.raw() >> i) & 1) != 0;
    const Outputs out{.random = random_, .crc = crc_, .parity = parity};
    random_ = concat(slice<29, 0>(random_), slice<30, 30>(random_) ^ slice<27, 27>(random_));
    if (in.valid) {
      UInt<32> crc = crc_ ^ in.byte;
      for (int i = 0; i < 8; ++i) {
        const UInt<32> shifted = crc >> UInt<1>(1);
        crc = bit<0>(crc) ? shifted ^ UInt<32>(0xedb88320u) : shifted;
      }
      crc_ = crc;
    }
    return out;
  }
  void reset() {
    random_ = UInt<31>(1);
    crc_ = UInt<32>(0xffffffffu);
  }

 private:
  UInt<31> random_;
  UInt<32> crc_;
};

}  // namespace systole::tests
