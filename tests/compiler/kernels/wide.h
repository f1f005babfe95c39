#pragma once

#include <algorithm>

#include "systole/hls/divide.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

/// Values of more than 128 bits: every operator, as arguments, results, registers, tables, elements
/// and beats. 129, 192, 193 and 256 bits lie around what clang keeps as words or as bytes.
namespace systole::tests {

using namespace systole::hls;
using systole::hls::clock;

template <int kA, int kB>
struct WideArithmetic {
  struct Inputs {
    UInt<kA> a;
    Int<kB> b;
    UInt<9> amount;
  };
  struct Outputs {
    Int<kA + kB> product;
    Int<std::max(kA + 1, kB) + 1> sum;
    Int<std::max(kA + 1, kB) + 1> difference;
    UInt<kA> bits;
    UInt<kA> quotient;
    Int<kB> remainder;
    UInt<kA> left;
    Int<kB> right;
    UInt<kA + kB> joined;
    UInt<3> tests;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out = out_;
    out_.product = in.a * in.b;
    out_.sum = in.a + in.b;
    out_.difference = in.a - in.b;
    out_.bits = (in.a & ~(in.a >> 3)) ^ (in.a | UInt<kA>(0x1234567));
    out_.bits[kA - 1] = in.a[in.amount];
    out_.quotient = in.a / 1000;
    out_.remainder = in.b % 77;
    out_.left = in.a << in.amount;
    out_.right = (in.b >> in.amount) - 5 < 0 ? in.b >> in.amount : ~in.b;
    out_.joined = concat(in.a, as_unsigned(in.b));
    out_.tests = concat(as_bit(in.a < in.b), as_bit(in.a == 7), as_bit(-in.b >= in.b));
    return out;
  }
  void reset() { out_ = {}; }

 private:
  Outputs out_;
};

inline UInt<150> wide_mix(UInt<150> a, UInt<130> b) {
  return truncate<UInt<150>>(a + (UInt<150>(b) << 7)) ^ 5;
}
inline UInt<150> wide_quotient(UInt<150> a) { return a / 1000; }

inline constexpr Int<200> kWideSteps[3] = {-1, 2, 0x7fffffffffffffff};

struct WideRecord {
  UInt<193> key;
  Vec<Int<140>, 2> values;
  bool is_set;
};
inline WideRecord next_record(const WideRecord& record, const UInt<2>& step) {
  WideRecord next = record;
  next.key += as_unsigned(truncate<Int<193>>(kWideSteps[step < 3 ? step.value() : 0]));
  next.values[0] = truncate<Int<140>>(record.values[1] * 3);
  next.values[1] = record.is_set ? -9 : record.values[0];
  next.is_set = next.key > record.key;
  return next;
}

/// Registers picked by a variable, a pipeline of structs, literals of both signs.
struct WideRegisters {
  struct Inputs {
    UInt<256> word;
    UInt<2> place;
    UInt1 write;
    WideRecord record;
  };
  struct Outputs {
    UInt<256> word;
    WideRecord record;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.word = shown_, .record = next_.output()};
    shown_ = words_[in.place.value()];
    if (in.write) words_[in.place.value()] = in.word ^ (in.word << 13);
    next_.clock(in.record, in.place);
    return out;
  }
  void reset() {
    shown_ = 1;
    for (auto& word : words_) word = 0;
  }

 private:
  UInt<256> words_[4];
  UInt<256> shown_;
  Pipeline<&next_record, 2> next_;
};

/// The low bits of ports that fill their words in the host's memory.
struct WideCuts {
  struct Inputs {
    UInt<192> x;
    Int<256> y;
  };
  struct Outputs {
    UInt<9> low;
    Int<70> middle;
    bool seventh;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{
        .low = low_, .middle = truncate<Int<70>>(in.y), .seventh = bit<7>(truncate<Int<9>>(in.x))};
    low_ = truncate<UInt<9>>(in.x);
    return out;
  }
  void reset() { low_ = 0; }

 private:
  UInt<9> low_;
};

/// Divisions by constants in a method of a class: their factors have more than 128 bits.
struct WideQuotients {
  struct Inputs {
    UInt<64> x;
    UInt<100> y;
    Int<192> z;
  };
  struct Outputs {
    UInt<64> tenth;
    UInt<100> last_digit;
    Int<192> rest;
    UInt<64> sevenths;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{
        .tenth = in.x / 10, .last_digit = in.y % 10, .rest = in.z % 342886, .sevenths = sevenths_};
    sevenths_ = in.x;
    sevenths_ /= 7;
    return out;
  }
  void reset() { sevenths_ = 0; }

 private:
  UInt<64> sevenths_;
};

/// Beats, values kept over waits, and a wide division.
inline Thread wide_moduli(StreamIn<UInt<150>>& values, StreamOut<UInt<300>>& results) {
value:
  for (;;) {
    const UInt<150> a = co_await values.pop();
    const UInt<150> b = co_await values.pop();
    co_await results.push(a * b);
    const auto divided = co_await divide(a, truncate<UInt<70>>(b));
    co_await results.push(UInt<300>(concat(divided.quotient, divided.remainder)));
  }
}

}  // namespace systole::tests
