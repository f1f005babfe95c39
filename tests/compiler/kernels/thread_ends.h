#pragma once

#include "systole/hls/divide.h"
#include "systole/hls/thread_ends.h"

namespace systole::tests {

using namespace systole::hls;
using systole::hls::clock;

/// Counts how often each value came, in a memory that its parent holds.
inline Thread count_values(StreamIn<UInt<4>>& values, StreamOut<UInt<9>>& counts,
                           RamEnd<UInt<9>, 16>& table) {
clear:
  for (int i = 0; i < 16; ++i) co_await table.write(UInt<4>::from(i), 0);
value:
  for (;;) {
    const UInt<4> value = co_await values.pop();
    const UInt<9> count = co_await table.read(value);
    co_await counts.push(count);
    co_await table.write(value, truncate<UInt<9>>(count + 1));
  }
}

struct CountedValues {
  struct Inputs {
    Beat<UInt<4>> value;
    UInt1 count_ready;
  };
  struct Outputs {
    UInt1 value_ready;
    Beat<UInt<9>> count;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.value_ready = values_.ready(), .count = counts_.front()};
    values_.push(in.value);
    counts_.pop(in.count_ready);
    process_.connect(values_, counts_, table_);
    values_.update();
    counts_.update();
    return out;
  }
  void reset() {
    values_.reset();
    counts_.reset();
    process_.reset();
  }

 private:
  Channel<UInt<4>, 2> values_;
  Channel<UInt<9>, 1> counts_;
  Process<&count_values> process_;
  Ram<UInt<9>, 16> table_;
};

/// Only writes, so that the wires of its reads are never set.
inline Thread mark_values(StreamIn<UInt<4>>& values, RamEnd<UInt<9>, 16>& table) {
  co_await table.write(0, 0);
value:
  for (;;) {
    const UInt<4> value = co_await values.pop();
    co_await table.write(value, 1);
  }
}

struct Corner {
  UInt<7> x;
  Int<6> y;
};
/// A struct in and out, and a bool.
inline Corner turned_corner(const Corner& corner, bool mirrored) {
  return {.x = truncate<UInt<7>>(corner.x * 5 + 1),
          .y = mirrored ? truncate<Int<6>>(-corner.y) : corner.y};
}
inline UInt<16> square(UInt<8> x) { return x * x; }

/// Two pipelines of different depth, one of them called twice.
inline Thread call_pipelines(StreamIn<UInt<8>>& values, StreamOut<UInt<17>>& sums,
                             PipelineEnd<&square, 3>& squared,
                             PipelineEnd<&turned_corner, 1>& turned, Corner& corner) {
  corner = {.x = 0, .y = 0};
value:
  for (;;) {
    const UInt<8> a = co_await values.pop();
    const UInt<16> first = co_await squared(a);
    corner = co_await turned(corner, bit<0>(a));
    co_await sums.push(first + co_await squared(concat(UInt1(1), corner.x)));
  }
}

struct CalledPipelines {
  struct Inputs {
    Beat<UInt<8>> value;
    UInt1 sum_ready;
  };
  struct Outputs {
    UInt1 value_ready;
    Beat<UInt<17>> sum;
    Corner corner;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.value_ready = values_.ready(), .sum = sums_.front(), .corner = corner_};
    values_.push(in.value);
    sums_.pop(in.sum_ready);
    process_.connect(values_, sums_, squared_, turned_, corner_);
    values_.update();
    sums_.update();
    return out;
  }
  void reset() {
    values_.reset();
    sums_.reset();
    process_.reset();
    corner_ = {.x = 0, .y = 0};
  }

 private:
  Channel<UInt<8>, 1> values_;
  Channel<UInt<17>, 2> sums_;
  Process<&call_pipelines> process_;
  Pipeline<&square, 3> squared_;
  Pipeline<&turned_corner, 1> turned_;
  Corner corner_;
};

/// Quotients and remainders of every sign, and of zero.
inline Thread divisions(StreamIn<UInt<11>>& values, StreamOut<UInt<19>>& results) {
value:
  for (;;) {
    const UInt<11> x = co_await values.pop();
    const UInt<11> y = co_await values.pop();
    const auto plain = co_await divide(x, truncate<UInt<8>>(y));
    co_await results.push(concat(plain.quotient, plain.remainder));
    const auto narrow = co_await divide(truncate<Int<3>>(x), as_signed(y));
    co_await results.push(
        UInt<19>(concat(as_unsigned(narrow.quotient), as_unsigned(narrow.remainder))));
    const auto wide = co_await divide(as_signed(x), truncate<Int<4>>(y));
    co_await results.push(
        UInt<19>(concat(as_unsigned(wide.quotient), as_unsigned(wide.remainder))));
  }
}

/// One thread asks another for a root and waits for it.
inline Thread root_server(StreamIn<UInt<8>>& squares, StreamOut<UInt<4>>& roots) {
square:
  for (;;) {
    const UInt<8> value = co_await squares.pop();
    UInt<4> root = 0;
  bit:
    for (int place = 3; place >= 0; --place) {
      co_await clock();
      const UInt<4> tried = root | UInt<4>(1) << place;
      if (tried * tried <= value) root = tried;
    }
    co_await roots.push(root);
  }
}
inline Thread ask_for_roots(StreamIn<UInt<8>>& values, StreamOut<UInt<8>>& squares,
                            StreamIn<UInt<4>>& roots, StreamOut<UInt<5>>& sums) {
value:
  for (;;) {
    const UInt<8> value = co_await values.pop();
    const UInt<4> first = co_await call(squares, roots, value);
    const UInt<4> second = co_await call(squares, roots, ~value);
    co_await sums.push(first + second);
  }
}

struct AskedForRoots {
  struct Inputs {
    Beat<UInt<8>> value;
    UInt1 sum_ready;
  };
  struct Outputs {
    UInt1 value_ready;
    Beat<UInt<5>> sum;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.value_ready = values_.ready(), .sum = sums_.front()};
    values_.push(in.value);
    sums_.pop(in.sum_ready);
    asks_.connect(values_, squares_, roots_, sums_);
    serves_.connect(squares_, roots_);
    values_.update();
    squares_.update();
    roots_.update();
    sums_.update();
    return out;
  }
  void reset() {
    values_.reset();
    squares_.reset();
    roots_.reset();
    sums_.reset();
    asks_.reset();
    serves_.reset();
  }

 private:
  Channel<UInt<8>, 1> values_;
  Channel<UInt<8>, 1> squares_;
  Channel<UInt<4>, 1> roots_;
  Channel<UInt<5>, 1> sums_;
  Process<&ask_for_roots> asks_;
  Process<&root_server> serves_;
};

}  // namespace systole::tests
