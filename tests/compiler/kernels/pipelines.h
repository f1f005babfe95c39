#pragma once

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// A function with a multiplication, conditions, a loop and shifts.
constexpr UInt<24> blend(const UInt<12>& a, const UInt<12>& b, const UInt<4>& shift) {
  const UInt<24> product = a * b;
  UInt<24> mixed = product >> shift;
  if (a > b) {
    mixed = mixed ^ a;
  } else if (shift == 3) {
    mixed = truncate<UInt<24>>(mixed + b);
  }
  UInt<5> ones;
  for (int i = 0; i < 12; ++i) ones = truncate<UInt<5>>(ones + UInt<1>::from(b.value() >> i));
  return bit<11>(a) ? truncate<UInt<24>>(mixed - UInt<24>(ones)) : mixed;
}

/// Signed, odd widths, wide.
constexpr Int<66> scale(const Int<33>& a, const Int<33>& b, const UInt<1>& negate) {
  const Int<66> product = a * b;
  return negate ? truncate<Int<66>>(Int<66>(0) - product) : product;
}

/// One pipeline of kStages stages, with its output at a port.
template <int kStages>
struct Single {
  struct Inputs {
    UInt<12> a;
    UInt<12> b;
    UInt<4> shift;
  };
  struct Outputs {
    UInt<24> result;
    UInt<24> previous;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.result = blend_.output(), .previous = previous_};
    previous_ = blend_.output();
    blend_.clock(in.a, in.b, in.shift);
    return out;
  }

 private:
  Pipeline<&blend, kStages> blend_;
  UInt<24> previous_;
};

/// Two kinds of pipeline in one module, one fed from a register, one from a wire.
struct Several {
  struct Inputs {
    UInt<12> a;
    UInt<12> b;
    Int<33> c;
    Int<33> d;
    UInt<1> negate;
  };
  struct Outputs {
    UInt<24> blended;
    Int<66> scaled;
    Int<66> scaled_again;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{
        .blended = blend_.output(), .scaled = scale_.output(), .scaled_again = again_.output()};
    const UInt<12> mixed = in.a ^ slice<23, 12>(blend_.output());
    blend_.clock(mixed, in.b, slice<3, 0>(in.c));
    scale_.clock(in.c, in.d, in.negate);
    again_.clock(held_, in.d, UInt<1>(1));
    held_ = in.c;
    return out;
  }

 private:
  Pipeline<&blend, 3> blend_;
  Pipeline<&scale, 4> scale_;
  Pipeline<&scale, 2> again_;
  Int<33> held_;
};

/// An array of pipelines: lanes fed from arrays and from ports, with outputs at ports.
template <int kStages>
struct Lines {
  static constexpr int kLanes = 4;
  struct Inputs {
    Vec<UInt<12>, kLanes> a;
    UInt<12> b;
    UInt<4> shift;
  };
  struct Outputs {
    Vec<UInt<24>, kLanes> result;
    UInt<24> chained;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
#pragma unroll
    for (int i = 0; i < kLanes; ++i) out.result[i] = blend_[i].output();
    out.chained = chain_[3].output();
    for (int i = 0; i < kLanes; ++i) seen_[i] = blend_[i].output();
    for (int i = 0; i < kLanes; ++i) blend_[i].clock(a_[i], in.b, in.shift);
    for (int i = 0; i < kLanes; ++i) {
      chain_[i].clock(slice<11, 0>(seen_[i]), slice<23, 12>(seen_[i]), shift_);
    }
#pragma unroll
    for (int i = 0; i < kLanes; ++i) a_[i] = in.a[i];
    shift_ = in.shift;
    return out;
  }

 private:
  Pipeline<&blend, kStages> blend_[kLanes];
  Pipeline<&blend, 2> chain_[kLanes];
  UInt<12> a_[kLanes];
  UInt<24> seen_[kLanes];
  UInt<4> shift_;
};

/// A pipeline inside a submodule inside a submodule, twice.
struct Nested {
  struct Inputs {
    UInt<12> a;
    UInt<12> b;
    UInt<4> shift;
  };
  struct Outputs {
    UInt<24> first;
    UInt<24> second;
  };
  Outputs clock(const Inputs& in) {
    const auto first = first_.clock({.a = in.a, .b = in.b, .shift = in.shift});
    const auto second = second_.clock(
        {.a = slice<11, 0>(first.result), .b = slice<23, 12>(first.previous), .shift = in.shift});
    return {.first = first.result, .second = second.result};
  }

 private:
  Single<2> first_;
  Single<3> second_;
};

}  // namespace systole::tests
