#pragma once

#include "systole/hls/int.h"
#include "systole/hls/stream.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// Shows its registers apart from its edge: outputs() before clock().
template <int kStart>
struct Accumulating {
  struct Inputs {
    UInt<9> add;
    UInt<1> clear;
  };
  struct Outputs {
    UInt<12> sum;
    UInt<1> odd;
    UInt<9> last;
  };
  Outputs outputs() const { return {.sum = sum_, .odd = slice<0, 0>(sum_), .last = last_}; }
  void clock(const Inputs& in) {
    sum_ = in.clear ? UInt<12>(kStart) : truncate<UInt<12>>(sum_ + in.add);
    last_ = in.add;
  }
  void reset() { sum_ = UInt<12>(kStart); }

 private:
  UInt<12> sum_;
  UInt<9> last_;
};

/// Two submodules that read each other, clocked in an order that would matter if an edge could be
/// seen; one of them is read twice and under a condition.
struct Ring {
  struct Inputs {
    UInt<9> x;
    UInt<1> clear;
    UInt<1> which;
  };
  struct Outputs {
    UInt<12> first;
    UInt<12> second;
    UInt<12> chosen;
  };
  Outputs clock(const Inputs& in) {
    const auto first = first_.outputs();
    UInt<12> chosen = first.sum;
    if (in.which) chosen = second_.outputs().sum;
    const Outputs out{.first = first.sum, .second = second_.outputs().sum, .chosen = chosen};
    const UInt<9> back = second_.outputs().last;
    second_.clock({.add = slice<8, 0>(first.sum), .clear = first.odd});
    first_.clock({.add = truncate<UInt<9>>(in.x + back), .clear = in.clear});
    return out;
  }
  void reset() {
    first_.reset();
    second_.reset();
  }

 private:
  Accumulating<3> first_;
  Accumulating<1000> second_;
};

/// A top that shows its registers itself, with submodules of both kinds; reset() reaches one of two
/// alike.
struct Shown {
  struct Held {
    struct Inputs {
      UInt<9> x;
    };
    struct Outputs {
      UInt<9> y;
    };
    Outputs outputs() const { return {.y = held_}; }
    void clock(const Inputs& in) { held_ = in.x; }
    void reset() { held_ = UInt<9>(77); }

   private:
    UInt<9> held_;
  };
  struct Inputs {
    UInt<9> x;
    UInt<1> clear;
  };
  struct Outputs {
    UInt<12> sum;
    UInt<9> reset;
    UInt<9> kept;
    UInt<5> count;
  };
  Outputs outputs() const {
    return {.sum = sum_.outputs().sum,
            .reset = reset_.outputs().y,
            .kept = kept_.outputs().y,
            .count = count_};
  }
  void clock(const Inputs& in) {
    if (outputs().sum == UInt<12>(0) || in.clear) count_ = truncate<UInt<5>>(count_ + UInt1(1));
    sum_.clock({.add = kept_.outputs().y, .clear = in.clear});
    reset_.clock({.x = in.x});
    kept_.clock({.x = in.x});
  }
  void reset() {
    sum_.reset();
    reset_.reset();
    kept_.reset();
    count_ = UInt<5>(0);
  }

 private:
  Accumulating<9> sum_;
  Held reset_;
  Held kept_;
  UInt<5> count_;
};

/// An array of them: lanes that all read their neighbour before any is clocked.
struct ShownLanes {
  static constexpr int kLanes = 4;
  struct Inputs {
    Vec<UInt<1>, kLanes> clear;
  };
  struct Outputs {
    Vec<UInt<12>, kLanes> sum;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    Vec<UInt<9>, kLanes> neighbour;
    for (int i = 0; i < kLanes; ++i) {
      out.sum[i] = lane_[i].outputs().sum;
      neighbour[(i + 1) % kLanes] = slice<8, 0>(lane_[i].outputs().sum);
    }
    for (int i = 0; i < kLanes; ++i) {
      lane_[i].clock({.add = neighbour[i], .clear = in.clear[i]});
    }
    return out;
  }
  void reset() {
    for (int i = 0; i < kLanes; ++i) lane_[i].reset();
  }

 private:
  Accumulating<21> lane_[kLanes];
};

/// Outputs of bools alone, which the host's calling convention hands over in registers.
template <int kCount>
struct Flags {
  struct Inputs {
    UInt<kCount> x;
  };
  struct Outputs {
    bool flag[kCount];
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    for (int i = 0; i < kCount; ++i) out.flag[i] = ((kept_.raw() >> i) & 1) != 0;
    kept_ = in.x;
    return out;
  }

 private:
  UInt<kCount> kept_;
};
struct Bools {
  struct Both {
    struct Inputs {
      bool x;
    };
    struct Outputs {
      bool same;
      bool turned;
    };
    Outputs outputs() const { return {.same = kept_, .turned = !kept_}; }
    void clock(const Inputs& in) { kept_ = in.x; }

   private:
    bool kept_;
  };
  struct Inputs {
    UInt<11> x;
  };
  struct Outputs {
    bool one;
    bool three;
    bool eleven;
    bool turned;
  };
  Outputs clock(const Inputs& in) {
    const auto one = one_.clock({.x = slice<3, 3>(in.x)});
    const auto three = three_.clock({.x = slice<7, 5>(in.x)});
    const auto eleven = eleven_.clock({.x = in.x});
    const Outputs out{.one = one.flag[0],
                      .three = three.flag[1],
                      .eleven = eleven.flag[10] != eleven.flag[2],
                      .turned = both_.outputs().turned != both_.outputs().same};
    both_.clock({.x = three.flag[2]});
    return out;
  }

 private:
  Flags<1> one_;
  Flags<3> three_;
  Flags<11> eleven_;
  Both both_;
};

/// outputs() with a branch, and an edge with locals: a struct of arrays for a submodule, a wide
/// integer that is taken apart under a condition.
struct Branching {
  static constexpr int kLanes = 4;
  using Lanes = Vec<UInt<9>, kLanes>;
  struct Item {
    UInt<16> a;
    UInt<1> last;
  };
  struct Shifting {
    struct Inputs {
      UInt<1> take;
      Lanes word;
    };
    struct Outputs {
      UInt<1> full;
      Lanes word;
    };
    Outputs outputs() const { return {.full = full_, .word = word_}; }
    void clock(const Inputs& in) {
      if (in.take) word_ = in.word;
      full_ = in.take;
    }
    void reset() {
      full_ = UInt<1>(0);
      for (int i = 0; i < kLanes; ++i) word_[i] = UInt<9>(0);
    }

   private:
    UInt<1> full_;
    Lanes word_;
  };
  struct Inputs {
    UInt<1> take;
    Lanes word;
    UInt<128> wide;
  };
  struct Outputs {
    UInt<1> busy;
    UInt<1> near;
    Lanes word;
    UInt<16> high;
    UInt<20> low;
  };
  Outputs outputs() const {
    const bool busy =
        second_.outputs().full ||
        (queue_.outputs().pop.valid && (queue_.outputs().pop.data.last || first_.outputs().full));
    return {.busy = as_bit(busy),
            .near = as_bit(truncate<UInt<20>>(low_ - UInt<20>(high_)) < UInt<20>(1 << 17)),
            .word = second_.outputs().word,
            .high = high_,
            .low = low_};
  }
  void clock(const Inputs& in) {
    const auto first = first_.outputs();
    if (in.take && first.full) {
      high_ = slice<95, 80>(in.wide);
      low_ = slice<19, 0>(in.wide);
    }
    Lanes word = first.word;
    for (int i = 0; i < kLanes; ++i) {
      if (in.take) word[i] = first.word[kLanes - 1 - i];
    }
    queue_.clock({.push = {.valid = in.take, .data = {.a = high_, .last = in.take}},
                  .pop_ready = first.full});
    second_.clock({.take = first.full, .word = word});
    first_.clock({.take = in.take, .word = in.word});
  }
  void reset() {
    first_.reset();
    second_.reset();
    queue_.reset();
    high_ = UInt<16>(0);
    low_ = UInt<20>(0);
  }

 private:
  Shifting first_;
  Shifting second_;
  Fifo<Item, 4> queue_;
  UInt<16> high_;
  UInt<20> low_;
};

}  // namespace systole::tests
