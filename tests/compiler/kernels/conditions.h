#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// if/else chains and a switch that write registers, some on one way only.
struct Conditions {
  struct Inputs {
    UInt<4> command;
    UInt<9> value;
    bool enable;
  };
  struct Outputs {
    UInt<9> total;
    UInt<9> last;
    UInt<2> state;
    bool flag;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.total = total_, .last = last_, .state = state_, .flag = flag_};
    if (in.enable) {
      if (in.command == 0) {
        total_ = in.value;
      } else if (in.command < 5) {
        total_ = truncate<UInt<9>>(total_ + in.value);
        if (bit<8>(total_)) flag_ = !flag_;
      } else {
        last_ = total_;
      }
    } else if (in.command == 15) {
      flag_ = false;
    }
    switch (state_.value()) {
      case 0:
        if (in.enable) state_ = UInt<2>(1);
        break;
      case 1:
        state_ = bit<0>(in.value) ? UInt<2>(2) : UInt<2>(3);
        break;
      case 2:
        last_ = in.value;
        [[fallthrough]];
      default:
        state_ = UInt<2>(0);
    }
    return out;
  }
  void reset() {
    total_ = UInt<9>(0);
    last_ = UInt<9>(511);
    state_ = UInt<2>(0);
    flag_ = true;
  }

 private:
  UInt<9> total_;
  UInt<9> last_;
  UInt<2> state_;
  bool flag_;
};

/// A large switch whose cases do different things.
struct Switches {
  struct Inputs {
    UInt<5> opcode;
    UInt<16> a;
    UInt<16> b;
  };
  struct Outputs {
    UInt<16> result;
    UInt<16> mealy;
  };

  static UInt<16> compute(const UInt<5>& opcode, const UInt<16>& a, const UInt<16>& b) {
    switch (opcode.value()) {
      case 0:
        return a;
      case 1:
        return truncate<UInt<16>>(a + b);
      case 2:
        return truncate<UInt<16>>(a - b);
      case 3:
        return a & b;
      case 7:
        return a | b;
      case 8:
        return a ^ b;
      case 9:
        return ~a;
      case 19:
        return a << slice<3, 0>(b);
      case 20:
        return a >> slice<3, 0>(b);
      case 31:
        return truncate<UInt<16>>(a * b);
      default:
        return UInt<16>(0xbad);
    }
  }

  Outputs clock(const Inputs& in) {
    const Outputs out{.result = result_, .mealy = compute(in.opcode, result_, in.b)};
    switch (in.opcode.value()) {
      case 3:
        result_ = in.a;
        break;
      case 4:
      case 5:
        count_ = truncate<UInt<16>>(count_ + UInt<1>(1));
        break;
      case 6:
        result_ = count_;
        break;
      case 30:
        result_ = compute(UInt<5>(31), in.a, count_);
        break;
      default:
        break;
    }
    return out;
  }
  void reset() {
    result_ = UInt<16>(0);
    count_ = UInt<16>(0);
  }

 private:
  UInt<16> result_;
  UInt<16> count_;
};

}  // namespace systole::tests
