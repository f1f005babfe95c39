#pragma once

#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

// Divisors, amounts, places and bounds that are constants only when a value minus itself is zero.
namespace systole::tests {

using namespace systole::hls;

struct LateQuotients {
  UInt<9> by_seven, by_most, by_384, by_256;
  Int<10> by_minus_four, by_four, by_least, of_least, by_minus_one, by_minus_seven;
};
constexpr LateQuotients late_constants(const UInt<9>& x, const Int<9>& y) {
  const UInt<9> none = truncate<UInt<9>>(x - x);
  const Int<9> zero = as_signed(none);
  return {.by_seven = x / (none | UInt<9>(7)),
          .by_most = x % ~none,
          .by_384 = x / (none | UInt<9>(384)),
          .by_256 = x % (none | UInt<9>(256)),
          .by_minus_four = y / (zero | Int<9>(-4)),
          .by_four = Int<10>(y % (zero | Int<9>(4))),
          .by_least = y / (zero | Int<9>(-256)),
          .of_least = Int<10>(y % (zero | Int<9>(-256))),
          .by_minus_one = y / ~zero,
          .by_minus_seven = Int<10>(y % (zero | Int<9>(-7)))};
}

struct LatePlaces {
  UInt<9> right, left, host;
  Int<9> sign;
  bool bit;
  UInt<9> element, sum;
};
constexpr LatePlaces late_places(const UInt<9>& x, const Vec<UInt<9>, 3>& from) {
  const UInt<9> none = truncate<UInt<9>>(x - x);
  UInt<9> sum;
  for (unsigned i = 0; i < (none | UInt<9>(3)).value(); ++i) {
    sum = truncate<UInt<9>>(sum + from[static_cast<int>(i)]);
  }
  return {.right = x >> (none | UInt<9>(3)),
          .left = x << (none | UInt<9>(12)),
          .host = UInt<9>::from(static_cast<unsigned>(static_cast<int>(x.value()) / 10)),
          .sign = as_signed(x) >> (none | UInt<9>(20)),
          .bit = static_cast<bool>(x[none | UInt<9>(7)]),
          .element = from[static_cast<int>((none | UInt<9>(2)).value())],
          .sum = sum};
}

/// In a module, alone and as a pipeline.
struct KnownLate {
  struct Inputs {
    UInt<9> x;
    Int<9> y;
    Vec<UInt<9>, 3> from;
  };
  struct Outputs {
    LateQuotients quotients, later;
    LatePlaces places;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.quotients = quotients_, .later = pipeline_.output(), .places = places_};
    quotients_ = late_constants(in.x, in.y);
    places_ = late_places(in.x, in.from);
    pipeline_.clock(in.x, in.y);
    return out;
  }

 private:
  Pipeline<&late_constants, 3> pipeline_;
  LateQuotients quotients_;
  LatePlaces places_;
};

struct LateOperands {
  UInt<9> x;
  Int<9> y;
};
inline Thread known_late_in_thread(StreamIn<LateOperands>& in, StreamOut<LateQuotients>& out) {
  for (;;) {
    const LateOperands one = co_await in.pop();
    co_await out.push(late_constants(one.x, one.y));
  }
}

/// In a function over arrays.
inline void known_late(const Vec<UInt<9>, 20>& in, Vec<UInt<9>, 20>& by_most,
                       Vec<Int<10>, 20>& by_least, Vec<UInt<9>, 20>& places) {
  for (int i = 0; i < 20; ++i) {
    const LateQuotients quotients = late_constants(in[i], as_signed(in[i]));
    by_most[i] = quotients.by_most ^ quotients.by_seven ^ quotients.by_384 ^ quotients.by_256;
    by_least[i] = quotients.by_least ^ quotients.of_least ^ quotients.by_minus_four ^
                  quotients.by_four ^ quotients.by_minus_one ^ quotients.by_minus_seven;
    const Vec<UInt<9>, 3> from{{in[i], in[0], in[19]}};
    const LatePlaces late = late_places(in[i], from);
    places[i] = late.right ^ late.left ^ late.host ^ as_unsigned(late.sign) ^ late.element ^
                late.sum ^ (late.bit ? UInt<9>(257) : UInt<9>(0));
  }
}

/// In two functions side by side.
inline void late_remainders(const Vec<UInt<9>, 20>& in, Stream<UInt<9>>& out) {
  for (int i = 0; i < 20; ++i) out.push(in[i] % ~truncate<UInt<9>>(in[i] - in[i]));
}
inline void late_halves(Stream<UInt<9>>& in, Vec<Int<10>, 20>& out) {
  for (int i = 0; i < 20; ++i) {
    const UInt<9> one = in.pop();
    out[i] = as_signed(one) / (as_signed(truncate<UInt<9>>(one - one)) | Int<9>(-2));
  }
}
inline void known_late_network(const Vec<UInt<9>, 20>& in, Vec<Int<10>, 20>& out) {
  dataflow();
  LocalStream<UInt<9>, 2> between;
  late_remainders(in, between);
  late_halves(between, out);
}

}  // namespace systole::tests
