#pragma once

#include <algorithm>
#include <iterator>

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/thread.h"

namespace systole::tests {

using namespace systole::hls;

/// What kernel_campaign found, each in its smallest form.

/// Shifts by more than the width whose test, shift and choice fall into different stages.
constexpr UInt<24> far_shifts(const UInt<16>& a, const UInt<9>& b, const UInt<7>& c) {
  const UInt<24> wide = truncate<UInt<24>>(a * b);
  const UInt<7> amount = c >> slice<1, 0>(b);
  UInt<24> value = wide << amount;
  for (int i = 0; i < 3; ++i) value = truncate<UInt<24>>((value << amount) + (wide >> amount));
  return bit<3>(a) ? value : ~value;
}

/// Returns under conditions that leave blocks that nothing reaches.
constexpr UInt<32> far_returns(const UInt<7>& a, const UInt<1>& b, const UInt<16>& c) {
  if ((truncate<UInt<33>>(b) == UInt<33>(8589934591ull)) != (static_cast<bool>(c) || bit<0>(b))) {
    [[maybe_unused]] const UInt<9> unused = truncate<UInt<9>>(c);
  } else if ((static_cast<bool>(b) || bit<1>(c)) != static_cast<bool>(a)) {
    if (bit<3>(std::min(truncate<UInt<4>>(b), slice<6, 3>(a)))) return UInt<32>(c);
  }
  UInt<32> value = UInt<32>(a);
  switch (slice<1, 0>(c).value()) {
    case 0:
      return UInt<32>(5);
    case 1:
      value = ~value;
      [[fallthrough]];
    case 2:
      if (a == 3) return value;
      break;
    default:
      value = truncate<UInt<32>>(value * c);
  }
  return truncate<UInt<32>>(value * value);
}

/// Reads back the variable that it returns, which is built where the result goes.
constexpr UInt<9> far_result(const UInt<9>& a, const UInt<7>& b) {
  UInt<9> value = a;
  for (int i = 0; i < 3; ++i) {
    if (bit<2>(value)) {
      value = truncate<UInt<9>>(value + b);
    } else if (bit<1>(b)) {
      value = ~truncate<UInt<9>>(value * a);
    }
    if (bit<0>(a)) value = concat(slice<3, 0>(value), truncate<UInt<5>>(value + UInt<2>(3)));
  }
  return value;
}

struct FoundInPipelines {
  struct Inputs {
    UInt<16> a;
    UInt<9> b;
    UInt<7> c;
  };
  struct Outputs {
    UInt<24> shifted;
    UInt<24> shifted_late;
    UInt<32> returned;
    UInt<9> read_back;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.shifted = shifts_.output(),
                      .shifted_late = late_.output(),
                      .returned = returns_.output(),
                      .read_back = result_.output()};
    shifts_.clock(in.a, in.b, in.c);
    late_.clock(in.a, in.b, in.c);
    returns_.clock(in.c, slice<0, 0>(in.b), in.a);
    result_.clock(in.b, in.c);
    return out;
  }

 private:
  Pipeline<&far_shifts, 3> shifts_;
  Pipeline<&far_shifts, 7> late_;
  Pipeline<&far_returns, 2> returns_;
  Pipeline<&far_result, 4> result_;
};

/// A register that every turn of a loop writes, alone and around a loop that stays.
struct FoundInLoops {
  static constexpr int kLanes = 3;
  struct Lane {
    struct Inputs {
      UInt<5> x;
    };
    struct Outputs {
      UInt<5> y;
    };
    Outputs clock(const Inputs& in) {
      const Outputs out{.y = line_[3]};
      for (int i = 3; i > 0; --i) line_[i] = line_[i - 1] ^ mask_;
      line_[0] = in.x;
      mask_ = in.x;
      return out;
    }
    void reset() {
      for (int i = 0; i < 4; ++i) line_[i] = UInt<5>(0);
      mask_ = UInt<5>(0);
    }

   private:
    UInt<5> line_[4];
    UInt<5> mask_;
  };

  struct Inputs {
    UInt<5> x;
    UInt<2> index;
  };
  struct Outputs {
    UInt<9> total;
    UInt<9> state;
    UInt<9> chosen;
  };
  Outputs clock(const Inputs& in) {
    UInt<9> total;
    for (int n = 0; n < kLanes; ++n) {
      const auto one = lane_[n].clock({.x = in.x});
      total = truncate<UInt<9>>(total + total + one.y);
    }
    const Outputs out{.total = total_, .state = state_, .chosen = chosen_};
    for (int i = 0; i < 4; ++i) {
      array_[i] = truncate<UInt<9>>(array_[i] + in.x);
      for (int j = 0; j < 2; ++j) {
        if (bit<0>(array_[i])) state_ = truncate<UInt<9>>(state_ + state_ + array_[j]);
      }
    }
    chosen_ = array_[in.index.value()];
    total_ = total;
    return out;
  }
  void reset() {
    for (int n = 0; n < kLanes; ++n) lane_[n].reset();
    for (int i = 0; i < 4; ++i) array_[i] = UInt<9>(0);
    state_ = UInt<9>(1);
    chosen_ = UInt<9>(0);
    total_ = UInt<9>(0);
  }

 private:
  Lane lane_[kLanes];
  UInt<9> array_[4];
  UInt<9> state_;
  UInt<9> chosen_;
  UInt<9> total_;
};

/// References to temporaries and registers that are chosen in one block and read in another.
inline Thread FoundThread(StreamOut<UInt<32>>& sink, UInt<80>& wide, Int<31>& least) {
  wide = UInt<80>(2175809432010732244ull);
  least = Int<31>(172048515);
  for (;;) {
    co_await sink.push(truncate<UInt<32>>(least));
    wide = truncate<UInt<80>>(wide * UInt<9>(267) + UInt<7>(97));
    const bool either = bit<25>(least) || bit<24>(wide);
    least = std::min(
        least, either ? std::min(truncate<Int<31>>(wide), least) : std::min(Int<31>(-2), least));
    if (bit<3>(wide)) least = truncate<Int<31>>(wide);
  }
}

struct FoundInThreads {
  struct Inputs {
    UInt1 sink_ready;
  };
  struct Outputs {
    Beat<UInt<32>> sink;
    UInt<80> wide;
    Int<31> least;
  };
  Outputs clock(const Inputs& in) {
    const auto shown = process_.outputs();
    decltype(process_)::Inputs ends;
    part<0>(ends) = in.sink_ready;
    process_.clock(ends);
    Outputs out;
    out.sink = part<0>(shown);
    out.wide = part<1>(shown);
    out.least = part<2>(shown);
    return out;
  }
  void reset() { process_.reset(); }

 private:
  Process<&FoundThread> process_;
};

/// Two loops that read one stream: what they read it by is the same, before and after the waits.
inline Thread two_loops(StreamIn<UInt<4>>& source, StreamOut<UInt<4>>& sink) {
  for (;;) {
    UInt<3> count;
    while (count < UInt<3>(2)) {
      count = truncate<UInt<3>>(count + UInt1(1));
      const UInt<4> beat = co_await source.pop();
      if (bit<2>(beat)) continue;
      co_await sink.push(beat);
    }
    for (UInt<2> again; again < UInt<2>(3); again = truncate<UInt<2>>(again + UInt1(1))) {
      const UInt<4> beat = co_await source.pop();
      if (beat < UInt<4>(3)) break;
      co_await sink.push(~beat);
    }
    co_await clock();
  }
}

/// A block that two ways lead to, written twice because one of them may leave early; in it a value
/// of which only some bits are read.
struct FoundInBranches {
  struct Inputs {
    UInt<16> in;
  };
  struct Outputs {
    UInt<13> chosen;
    UInt<16> picked;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    out.chosen = chosen_;
    out.picked = picked_;
    UInt<13> next = chosen_;
    if (bit<5>(chosen_)) {
      array_[1] = ~in.in;
      if (bit<4>(in.in)) return out;
      next = truncate<UInt<13>>(array_[slice<9, 8>(in.in).value()]);
    } else {
      array_[2] = UInt<16>(chosen_);
      next = truncate<UInt<13>>(chosen_ + slice<15, 8>(in.in));
    }
    if (bit<6>(in.in)) {
      array_[slice<1, 0>(next).value()] = in.in;
      picked_ = truncate<UInt<16>>(array_[slice<1, 0>(next).value()] + slice<12, 9>(next));
    } else if (bit<7>(in.in)) {
      array_[slice<3, 2>(in.in).value()] = in.in;
      picked_ = array_[slice<1, 0>(next).value()];
    }
    chosen_ = truncate<UInt<13>>(next + UInt1(1));
    return out;
  }
  void reset() {
    chosen_ = UInt<13>(0);
    picked_ = UInt<16>(0);
    for (int i = 0; i < 4; ++i) array_[i] = UInt<16>(7);
  }

 private:
  UInt<13> chosen_;
  UInt<16> picked_;
  UInt<16> array_[4];
};

/// An early return on a condition that the outputs do not depend on.
struct FoundInOutputs {
  struct Inputs {
    UInt<16> in;
    UInt1 go;
  };
  struct Outputs {
    UInt<8> shown;
    UInt<8> sum;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    const bool is_go = static_cast<bool>(in.go);
    out.shown = truncate<UInt<8>>((is_go ? UInt<6>(14) : UInt<6>(13)) + sum_);
    out.sum = sum_;
    array_[slice<1, 0>(in.in).value()] = in.in;
    if (!is_go || array_[slice<7, 6>(in.in).value()] > array_[2]) return out;
    sum_ = truncate<UInt<8>>(sum_ + slice<7, 0>(in.in));
    return out;
  }
  void reset() {
    sum_ = UInt<8>(0);
    for (int i = 0; i < 4; ++i) array_[i] = UInt<16>(7);
  }

 private:
  UInt<8> sum_;
  UInt<16> array_[4];
};

/// The largest and the least of a chain, at one width and at one that grows: each step's text has
/// its operand twice.
template <int kSteps>
constexpr UInt<24> chain(const UInt<16>& a, const UInt<16>& b) {
  UInt<24> value = UInt<24>(a);
  for (int i = 0; i < kSteps; ++i) {
    const UInt<24> next = truncate<UInt<24>>(value + UInt<5>(19));
    value = i % 3 == 0 ? std::min(next, truncate<UInt<24>>(b * b)) : std::max(next, UInt<24>(b));
  }
  return value;
}

struct FoundInChains {
  struct Inputs {
    UInt<16> a;
    UInt<16> b;
  };
  struct Outputs {
    UInt<24> shown;
    UInt<24> piped;
    UInt<24> kept;
    Int<40> widest;
  };
  Outputs clock(const Inputs& in) {
    Outputs out{
        .shown = chain<40>(in.a, in.b), .piped = pipe_.output(), .kept = kept_, .widest = widest_};
    pipe_.clock(in.a, in.b);
    if (bit<0>(in.a)) {
      kept_ = chain<40>(slice<15, 0>(kept_), in.b);
    } else {
      widest_ = grown(as_signed(slice<3, 0>(in.a)), as_signed(in.b));
    }
    return out;
  }
  void reset() {
    kept_ = UInt<24>(1);
    widest_ = Int<40>(0);
  }

 private:
  /// A bit wider with every step.
  template <int kWidth>
  static Int<40> grown(const Int<kWidth>& value, const Int<16>& least) {
    if constexpr (kWidth == 40) {
      return value;
    } else {
      return grown(Int<kWidth + 1>(std::max(truncate<Int<kWidth>>(value + Int<2>(1)),
                                            truncate<Int<kWidth>>(least))),
                   least);
    }
  }

  Pipeline<&chain<40>, 3> pipe_;
  UInt<24> kept_;
  Int<40> widest_;
};

/// A loop that several cases of a switch lead to.
struct FoundInSwitches {
  struct Inputs {
    UInt<3> choice;
    UInt<8> value;
  };
  struct Outputs {
    UInt<8> shown;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.shown = shown_};
    switch (in.choice.value()) {
      case 1:
        array_[5] = in.value;
        shown_ = array_[2];
        [[fallthrough]];
      case 4:
        array_[6] = truncate<UInt<8>>(in.value + array_[1]);
        break;
      case 7:
        total_ = array_[3];
        break;
      default:
        for (int i = 0; i < 8; ++i) array_[i] = truncate<UInt<8>>(array_[i] + total_ + in.value);
    }
    return out;
  }
  void reset() {
    shown_ = UInt<8>(0);
    total_ = UInt<8>(0);
    for (int i = 0; i < 8; ++i) array_[i] = UInt<8>(1);
  }

 private:
  UInt<8> shown_;
  UInt<8> total_;
  UInt<8> array_[8];
};

/// A value that lanes in a loop and an output depend on, and an array of lanes with a branch.
struct FoundInLanes {
  static constexpr int kLanes = 3;
  struct Lane {
    struct Inputs {
      UInt<4> x;
    };
    struct Outputs {
      UInt<8> y;
    };
    Outputs clock(const Inputs& in) {
      const Outputs out{.y = last_};
      if (bit<0>(truncate<UInt<8>>(last_ * in.x))) mask_ = UInt<8>(in.x);
      last_ = truncate<UInt<8>>(last_ + in.x + mask_);
      return out;
    }
    void reset() {
      last_ = UInt<8>(3);
      mask_ = UInt<8>(1);
    }

   private:
    UInt<8> last_;
    UInt<8> mask_;
  };

  struct Inputs {
    UInt<9> a;
    UInt<5> b;
  };
  struct Outputs {
    UInt1 any;
    UInt<8> sum;
  };
  Outputs clock(const Inputs& in) {
    for (int n = 0; n < kLanes; ++n) {
      const auto one =
          lane_[n].clock({.x = state_ != 0 ? slice<4, 1>(in.b) : truncate<UInt<4>>(in.a - in.b)});
      sum_[n] = one.y;
    }
    const Outputs out{.any = as_bit(state_ != 0), .sum = shown_};
    shown_ = truncate<UInt<8>>(sum_[0] + sum_[1] + sum_[2]);
    state_ = slice<8, 4>(in.a);
    return out;
  }
  void reset() {
    for (int n = 0; n < kLanes; ++n) lane_[n].reset();
    for (int n = 0; n < kLanes; ++n) sum_[n] = UInt<8>(0);
    state_ = UInt<5>(0);
    shown_ = UInt<8>(0);
  }

 private:
  Lane lane_[kLanes];
  UInt<8> sum_[kLanes];
  UInt<5> state_;
  UInt<8> shown_;
};

/// Loops of which as many are left when the loop around them is written out.
struct FoundInTurns {
  struct Inputs {
    UInt<8> a;
    UInt<8> b;
  };
  struct Outputs {
    UInt<8> last;
    UInt<8> mixed;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.last = array_[1], .mixed = mixed_};
    UInt<8> mixed = in.a;
    for (int n = 0; n < 2; ++n) {
      for (int j = n; j < 3; ++j) mixed = truncate<UInt<8>>(mixed * in.b + array_[n]);
      for (int i = 0; i < 5; ++i) array_[n] = truncate<UInt<8>>(array_[n] * in.b + in.a);
    }
    mixed_ = mixed;
    return out;
  }
  void reset() {
    array_[0] = UInt<8>(1);
    array_[1] = UInt<8>(2);
    mixed_ = UInt<8>(0);
  }

 private:
  UInt<8> array_[2];
  UInt<8> mixed_;
};

/// Divisions by one and other powers of two of a value that is chosen, compared with a register:
/// the divisor is known only once the module's methods are inlined.
struct FoundInDivisions {
  struct Inputs {
    UInt<25> a;
    Int<9> b;
  };
  struct Outputs {
    UInt<64> most;
    Int<9> least;
    UInt<25> sum;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.most = most_, .least = least_, .sum = sum_};
    const auto chosen = bit<24>(in.a) ? slice<12, 11>(in.a) : truncate<UInt<2>>(in.a);
    most_ = std::max({most_, UInt<64>(chosen % 1), UInt<64>(chosen / 2)});
    least_ = std::min({in.b % 1, in.b % 2, in.b % -64, in.b / 1, in.b / 128, in.b / -256});
    sum_ = (in.a / 1) ^ (in.a / 2) ^ (in.a % 2) ^ (in.a / 4096) ^ (in.a % 4096) ^
           (in.a / 16777216) ^ (in.a % 16777216);
    return out;
  }
  void reset() {
    most_ = 0;
    least_ = 0;
    sum_ = 0;
  }

 private:
  UInt<64> most_;
  Int<9> least_;
  UInt<25> sum_;
};

/// Two names of one value, and a value that no longer fits where few of its enum's are chosen from.
struct FoundInEnums {
  enum class Way : std::uint8_t { kFirst = 1, kAlso = 1, kMiddle = 4, kLast = 36 };
  struct Inputs {
    UInt<2> a;
  };
  struct Outputs {
    UInt<8> seen;
    Way way;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.seen = seen_, .way = way_};
    const Way chosen = bit<0>(in.a) ? Way::kMiddle : Way::kAlso;
    if (chosen == Way::kMiddle) ++seen_;
    way_ = bit<1>(in.a) ? Way::kLast : chosen;
    return out;
  }
  void reset() {
    seen_ = 0;
    way_ = Way::kFirst;
  }

 private:
  UInt<8> seen_;
  Way way_ = Way::kFirst;
};

/// The second array of a result that clang writes where it returns it, beside a pointer that walks.
struct FoundInResults {
  struct Pair {
    UInt<13> first[4];
    Int<7> second[4];
  };
  struct Inputs {
    UInt<13> a[3];
  };
  struct Outputs {
    Pair pair;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    out.pair = Pair{{1, 2, 3, UInt<13>(state_)}, {1, 2, 3, Int<7>(state_)}};
    UInt<13> turned[3];
    for (int i = 0; i < 3; ++i) turned[i] = in.a[i];
    std::reverse(std::begin(turned), std::end(turned));
    state_ = truncate<UInt<2>>(turned[0]);
    return out;
  }
  void reset() { state_ = 0; }

 private:
  UInt<2> state_;
};

}  // namespace systole::tests
