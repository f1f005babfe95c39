#pragma once

#include "systole/hls/int.h"
#include "systole/hls/ram.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// A register of any type: two of them in one design are two modules.
template <typename T>
struct Hold {
  struct Inputs {
    bool take;
    T value;
  };
  struct Outputs {
    T value;
    bool fresh;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.value = value_, .fresh = fresh_};
    if (in.take) value_ = in.value;
    fresh_ = in.take;
    return out;
  }
  void reset() {
    fresh_ = false;
    value_ = T();
  }

 private:
  T value_;
  bool fresh_;
};

/// Counts to kLimit; its output depends on its input in the same clock.
template <int kBits, int kLimit>
struct Counter {
  struct Inputs {
    UInt<1> step;
  };
  struct Outputs {
    UInt<kBits> count;
    UInt<1> last;
  };
  Outputs clock(const Inputs& in) {
    const bool last = count_ == UInt<kBits>(kLimit) && in.step;
    const Outputs out{.count = count_, .last = as_bit(last)};
    if (last) {
      count_ = UInt<kBits>(0);
    } else if (in.step) {
      count_ = truncate<UInt<kBits>>(count_ + UInt<1>(1));
    }
    return out;
  }
  void reset() { count_ = UInt<kBits>(0); }

 private:
  UInt<kBits> count_;
};

/// Two counters in a row: the second steps when the first wraps.
template <int kBits>
struct Pair {
  struct Inputs {
    UInt<1> step;
  };
  struct Outputs {
    UInt<2 * kBits> count;
    UInt<1> last;
  };
  Outputs clock(const Inputs& in) {
    const auto low = low_.clock({.step = in.step});
    const auto high = high_.clock({.step = low.last});
    return {.count = concat(high.count, low.count), .last = high.last};
  }
  void reset() {
    low_.reset();
    high_.reset();
  }

 private:
  Counter<kBits, 5> low_;
  Counter<kBits, 2> high_;
};

/// Three levels, two instances of one template with other arguments, types as arguments.
struct Hierarchy {
  struct Inputs {
    UInt<1> step;
    UInt<13> a;
    UInt<8> b;
  };
  struct Outputs {
    UInt<6> count;
    UInt<8> wide_count;
    UInt<13> held;
    UInt<8> held_byte;
    bool fresh;
    UInt<13> passed;
  };
  Outputs clock(const Inputs& in) {
    const auto small = small_.clock({.step = in.step});
    const auto large = large_.clock({.step = small.last | as_bit(in.b == 3)});
    const auto word = word_.clock({.take = static_cast<bool>(in.step), .value = in.a});
    const auto byte = byte_.clock({.take = word.fresh, .value = slice<7, 0>(word.value)});
    const Outputs out{.count = small.count,
                      .wide_count = large.count,
                      .held = word.value,
                      .held_byte = byte.value,
                      .fresh = byte.fresh,
                      .passed = passed_};
    passed_ = word.value ^ in.a;
    return out;
  }
  void reset() {
    small_.reset();
    large_.reset();
    word_.reset();
    byte_.reset();
    passed_ = UInt<13>(0);
  }

 private:
  Pair<3> small_;
  Pair<4> large_;
  Hold<UInt<13>> word_;
  Hold<UInt<8>> byte_;
  UInt<13> passed_;
};

/// An array of submodules, clocked in a loop: lanes.
struct Lanes {
  static constexpr int kLanes = 5;
  struct Inputs {
    Vec<UInt<1>, kLanes> step;
  };
  struct Outputs {
    Vec<UInt<3>, kLanes> count;
    UInt<3> wraps;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    out.wraps = wraps_;
    UInt<3> wraps;
    for (int i = 0; i < kLanes; ++i) {
      const auto lane = lane_[i].clock({.step = in.step[i]});
      out.count[i] = lane.count;
      wraps = truncate<UInt<3>>(wraps + lane.last);
    }
    wraps_ = wraps;
    return out;
  }
  void reset() {
    for (int i = 0; i < kLanes; ++i) lane_[i].reset();
    wraps_ = UInt<3>(0);
  }

 private:
  Counter<3, 6> lane_[kLanes];
  UInt<3> wraps_;
};

/// Memories: read and written at the same address, held, and with a Vec as the word.
struct Memories {
  struct Inputs {
    UInt<1> read;
    UInt<3> read_address;
    UInt<1> write;
    UInt<3> write_address;
    UInt<19> data;
    UInt<1> fill;
  };
  struct Outputs {
    UInt<19> data;
    Vec<UInt<5>, 3> lanes;
  };
  Outputs clock(const Inputs& in) {
    const UInt<1> write = in.write | ~started_;
    const UInt<3> address = started_ ? in.write_address : slice<2, 0>(fill_);
    const auto one = ram_.clock({.read_enable = in.read | ~started_,
                                 .read_address = in.read_address,
                                 .write_enable = write,
                                 .write_address = address,
                                 .write_data = in.data});
    const Vec<UInt<5>, 3> word{slice<4, 0>(in.data), slice<9, 5>(in.data), slice<14, 10>(in.data)};
    const auto other = lanes_.clock({.read_enable = UInt<1>(1),
                                     .read_address = in.read_address,
                                     .write_enable = write,
                                     .write_address = address,
                                     .write_data = word});
    // Nothing is shown until every word has been written once.
    Outputs out;
    out.data = shown_ ? one.read_data : UInt<19>(0);
    for (int i = 0; i < 3; ++i) out.lanes[i] = shown_ ? other.read_data[i] : UInt<5>(0);
    shown_ = started_ & (in.read | shown_);
    if (!bit<4>(fill_)) fill_ = truncate<UInt<5>>(fill_ + UInt<1>(1));
    started_ = as_bit(bit<4>(fill_));
    return out;
  }
  void reset() {
    fill_ = UInt<5>(0);
    started_ = UInt<1>(0);
    shown_ = UInt<1>(0);
  }

 private:
  Ram<UInt<19>, 8> ram_;
  Ram<Vec<UInt<5>, 3>, 8> lanes_;
  UInt<5> fill_;
  UInt<1> started_;
  UInt<1> shown_;
};

}  // namespace systole::tests
