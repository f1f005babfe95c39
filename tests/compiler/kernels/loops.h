#pragma once

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// Delay lines and loops over arrays: up, down, nested, in steps, with conditions.
struct Loops {
  struct Inputs {
    UInt<7> x;
    UInt<1> shift;
    UInt<3> index;
  };
  struct Outputs {
    UInt<7> delayed;
    UInt<7> reversed;
    UInt<7> picked;
    Vec<UInt<7>, 3> window;
    UInt<7> grid_corner;
    UInt<7> even;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.delayed = line_[7],
                      .reversed = back_[0],
                      .picked = picked_,
                      .window = {line_[0], line_[1], line_[2]},
                      .grid_corner = grid_[2][3],
                      .even = even_[6]};
    picked_ = line_[in.index.value()];
    for (int i = 7; i > 0; --i) line_[i] = line_[i - 1];
    line_[0] = in.x;
    for (int i = 0; i < 7; ++i) back_[i] = back_[i + 1];
    back_[7] = in.shift ? in.x : back_[3];
    for (int r = 2; r > 0; --r) {
      for (int c = 0; c < 4; ++c) grid_[r][c] = truncate<UInt<7>>(grid_[r - 1][c] + line_[c]);
    }
    for (int c = 0; c < 4; ++c) grid_[0][c] = line_[c + 1] ^ UInt<7>(5);
    for (int i = 0; i < 8; i += 2) {
      if (bit<0>(line_[i])) {
        even_[i] = line_[i];
      } else if (in.shift) {
        even_[i] = even_[i + 1];
      } else {
        even_[i + 1] = back_[i];
      }
    }
    return out;
  }
  void reset() {
    for (int i = 0; i < 8; ++i) {
      line_[i] = UInt<7>(0);
      back_[i] = UInt<7>(1);
    }
    for (int i = 0; i < 8; ++i) even_[i] = UInt<7>(99);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 4; ++c) grid_[r][c] = UInt<7>(3);
    }
    picked_ = UInt<7>(0);
  }

 private:
  UInt<7> line_[8];
  UInt<7> back_[8];
  UInt<7> even_[8];
  UInt<7> grid_[3][4];
  UInt<7> picked_;
};

/// Arrays of structs, and arrays that only constants index.
struct Records {
  struct Record {
    UInt<5> key;
    Int<9> value;
    bool valid;
  };
  struct Inputs {
    Record in;
    UInt<2> slot;
  };
  struct Outputs {
    Record first;
    Record last;
    Int<9> middle;
    UInt<2> count;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{
        .first = queue_[0], .last = queue_[3], .middle = fixed_[1].value, .count = count_};
    for (int i = 3; i > 0; --i) {
      if (in.in.valid) queue_[i] = queue_[i - 1];
    }
    if (in.in.valid) queue_[0] = in.in;
    table_[in.slot.value()].key = in.in.key;
    if (table_[in.slot.value()].key == UInt<5>(3)) table_[1].value = in.in.value;
    const Record old = fixed_[0];
    fixed_[0] = {.key = in.in.key, .value = table_[1].value, .valid = fixed_[1].valid};
    fixed_[1] = old;
    count_ = truncate<UInt<2>>(count_ + as_bit(fixed_[0].valid));
    return out;
  }
  void reset() {
    for (int i = 0; i < 4; ++i) {
      queue_[i] = {.key = UInt<5>(0), .value = Int<9>(-1), .valid = false};
      table_[i] = {.key = UInt<5>(1), .value = Int<9>(-5), .valid = true};
    }
    for (int i = 0; i < 2; ++i) fixed_[i] = {.key = UInt<5>(2), .value = Int<9>(7), .valid = true};
    count_ = UInt<2>(0);
  }

 private:
  Record queue_[4];
  Record table_[4];
  Record fixed_[2];
  UInt<2> count_;
};

/// Unrolled loops: reductions, searches and local arrays.
struct Unrolled {
  static constexpr int kLanes = 6;
  struct Inputs {
    Vec<UInt<9>, kLanes> x;
    Vec<UInt<1>, kLanes> use;
  };
  struct Outputs {
    UInt<12> sum;
    UInt<9> most;
    UInt<3> ones;
    UInt<3> first;
    Vec<UInt<9>, kLanes> sorted;
    UInt<4> leading;
    UInt<9> reversed;
  };

  Outputs clock(const Inputs& in) {
    Outputs out;
    UInt<12> sum;
#pragma unroll
    for (int i = 0; i < kLanes; ++i) {
      if (in.use[i]) sum = truncate<UInt<12>>(sum + in.x[i]);
    }
    out.sum = sum;
    out.most = in.x[0];
    for (int i = 1; i < kLanes; ++i) {
      if (in.x[i] > out.most) out.most = in.x[i];
    }
    UInt<3> ones;
    for (int i = 0; i < kLanes; ++i) ones = truncate<UInt<3>>(ones + in.use[i]);
    out.ones = ones;
    out.first = UInt<3>(7);
    for (int i = kLanes - 1; i >= 0; --i) {
      if (in.use[i]) out.first = UInt<3>::from(static_cast<unsigned>(i));
    }
    UInt<9> values[kLanes];
    for (int i = 0; i < kLanes; ++i) values[i] = in.x[i];
    for (int pass = 0; pass < kLanes; ++pass) {
      for (int i = pass % 2; i + 1 < kLanes; i += 2) {
        const bool swap = values[i + 1] < values[i];
        const UInt<9> low = swap ? values[i + 1] : values[i];
        values[i + 1] = swap ? values[i] : values[i + 1];
        values[i] = low;
      }
    }
    for (int i = 0; i < kLanes; ++i) out.sorted[i] = values[i];
    out.leading = UInt<4>(9);
    for (int i = 0; i < 9; ++i) {
      if (((in.x[2].raw() >> i) & 1) != 0)
        out.leading = UInt<4>::from(static_cast<unsigned>(8 - i));
    }
    UInt<9> reversed;
    for (int i = 0; i < 9; ++i) {
      reversed = concat(slice<7, 0>(reversed), UInt<1>::from(in.x[1].value() >> i));
    }
    out.reversed = reversed;
    return out;
  }
};

}  // namespace systole::tests
