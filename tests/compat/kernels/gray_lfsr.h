#pragma once

#include "ap_int.h"

/// A counter in Gray code and a Fibonacci shift register, stepped together.
struct GrayAndLfsr {
  struct Inputs {
    ap_uint<1> enable;
    ap_uint<16> seed;
    ap_uint<1> load;
  };
  struct Outputs {
    ap_uint<8> gray;
    ap_uint<8> binary;
    ap_uint<16> random;
  };

  Outputs clock(const Inputs& in) {
    Outputs out;
    out.gray = count_ ^ (count_ >> 1);
    ap_uint<8> binary = out.gray;
    for (int i = 6; i >= 0; i--) binary[i] = binary[i] ^ binary[i + 1];
    out.binary = binary;
    out.random = state_;
    if (in.load) {
      state_ = in.seed;
    } else if (in.enable) {
      const ap_uint<1> feedback = state_[15] ^ state_[13] ^ state_[12] ^ state_[10];
      state_ = (state_(14, 0), feedback);
    }
    if (in.enable) count_++;
    return out;
  }
  void reset() {
    count_ = 0;
    state_ = 0xACE1;
  }

 private:
  ap_uint<8> count_;
  ap_uint<16> state_;
};
