#pragma once

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/stream_pipeline.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

enum class Shape : std::uint8_t { kPoint, kLine, kPlane };

struct Parts {
  UInt<8> low;
  UInt<8> high;
};

/// A struct of everything: Vecs, an enum, a bool, a struct.
struct Record {
  Vec<UInt<5>, 2> key;
  Vec<Int<7>, 3> steps;
  Shape shape;
  bool valid;
  Parts parts;
};

/// Two bools: the host's calling convention hands them over in one register.
struct CarryAndZero {
  bool carry;
  bool zero;
};

inline Vec<UInt<8>, 2> swap_lanes(const Vec<UInt<8>, 2>& in) { return {in[1], in[0]}; }
inline Parts split(UInt<16> x) { return {slice<7, 0>(x), slice<15, 8>(x)}; }
inline Parts swap_parts(Parts p) { return {p.high, p.low}; }
inline UInt<9> sum_lanes(const Vec<UInt<8>, 2>& in) { return in[0] + in[1]; }
inline UInt<8> picked(const UInt<8> (&in)[4], UInt<2> which) { return in[which.value()]; }
inline UInt<8> by_shape(const Shape& shape, bool twice) {
  return shape == Shape::kPlane && twice ? UInt<8>(9) : UInt<8>(1);
}
inline bool is_three(UInt<8> x) { return x == 3; }
inline Shape next_shape(Shape shape) {
  return shape == Shape::kPlane ? Shape::kPoint : Shape::kPlane;
}
inline CarryAndZero flags_of(CarryAndZero old, UInt<8> x) { return {old.zero, x == 0}; }

/// Every kind of member, read and written; a loop over an array of the argument.
inline Record turned(const Record& record, bool keep) {
  if (keep) return record;
  Record result;
  result.key[0] = record.key[1];
  result.key[1] = record.key[0];
  for (int i = 0; i < 3; ++i) result.steps[i] = record.steps[2 - i];
  result.shape = next_shape(record.shape);
  result.valid = !record.valid;
  result.parts = swap_parts(record.parts);
  return result;
}

/// Aggregates, bools and enums through pipelines, some of their members unread.
struct Aggregates {
  struct Inputs {
    Vec<UInt<8>, 2> lanes;
    Vec<UInt<8>, 4> four;
    UInt<16> x;
    Record record;
    Shape shape;
    CarryAndZero flags;
    bool keep;
  };
  struct Outputs {
    Vec<UInt<8>, 2> swapped;
    Parts parts;
    UInt<9> sum;
    UInt<8> picked;
    UInt<8> number;
    bool three;
    Shape next;
    CarryAndZero flags;
    Record turned;
    UInt<8> high;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.swapped = swap_.output(),
                      .parts = split_.output(),
                      .sum = sum_.output(),
                      .picked = pick_.output(),
                      .number = shape_.output(),
                      .three = three_.output(),
                      .next = next_.output(),
                      .flags = flags_.output(),
                      .turned = turn_.output(),
                      .high = half_.output().high};
    swap_.clock(in.lanes);
    split_.clock(in.x);
    sum_.clock(in.lanes);
    pick_.clock(in.four.lane, slice<1, 0>(in.x));
    shape_.clock(in.shape, in.keep);
    three_.clock(in.four[0]);
    next_.clock(in.shape);
    flags_.clock(in.flags, in.four[1]);
    turn_.clock(in.record, in.keep);
    half_.clock({in.four[2], in.record.parts.low});
    return out;
  }

 private:
  Pipeline<&swap_lanes, 1> swap_;
  Pipeline<&split, 2> split_;
  Pipeline<&sum_lanes, 1> sum_;
  Pipeline<&picked, 3> pick_;
  Pipeline<&by_shape, 2> shape_;
  Pipeline<&is_three, 1> three_;
  Pipeline<&next_shape, 2> next_;
  Pipeline<&flags_of, 2> flags_;
  Pipeline<&turned, 3> turn_;
  Pipeline<&swap_parts, 1> half_;  // only half of its result is read
};

/// The same in lanes of one loop, fed from arrays of structs.
struct AggregateLanes {
  static constexpr int kLanes = 3;
  struct Inputs {
    Vec<Parts, kLanes> parts;
    bool keep;
  };
  struct Outputs {
    Vec<Parts, kLanes> parts;
    UInt<8> first;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    for (int i = 0; i < kLanes; ++i) out.parts[i] = shown_[i];
    out.first = swap_[0].output().low;
    for (int i = 0; i < kLanes; ++i) shown_[i] = swap_[i].output();
    for (int i = 0; i < kLanes; ++i) swap_[i].clock(kept_[i]);
    for (int i = 0; i < kLanes; ++i) kept_[i] = in.parts[i];
    return out;
  }

 private:
  Pipeline<&swap_parts, 2> swap_[kLanes];
  Parts kept_[kLanes];
  Parts shown_[kLanes];
};

using StreamedLanes = StreamPipeline<&swap_lanes, 2>;
using StreamedParts = StreamPipeline<&swap_parts, 2>;
using StreamedSplit = StreamPipeline<&split, 3>;
using StreamedShape = StreamPipeline<&next_shape, 1>;
using StreamedTest = StreamPipeline<&is_three, 2>;

/// Names that SystemVerilog does not have: its identifiers are ASCII.
inline UInt<8> größe(UInt<8> π, UInt<8> 变量) {
  const UInt<8> Δ = π ^ 变量;
  return Δ | π;
}
struct Zähler {
  struct Inputs {
    UInt<8> größe;
  };
  struct Outputs {
    UInt<8> größe;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.größe = größe_};
    größe_ = truncate<UInt<8>>(größe_ + in.größe);
    return out;
  }
  void reset() { größe_ = UInt<8>(0); }

 private:
  UInt<8> größe_;
};
struct Foreign {
  struct Inputs {
    UInt<8> π;
    UInt<8> größe;
  };
  struct Outputs {
    UInt<8> summe;
    UInt<8> zähler;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.summe = größe_.output(), .zähler = zähler_.clock({.größe = in.größe}).größe};
    größe_.clock(in.π, in.größe);
    return out;
  }
  void reset() { zähler_.reset(); }

 private:
  Pipeline<&größe, 2> größe_;
  Zähler zähler_;
};

}  // namespace systole::tests
