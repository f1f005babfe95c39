#pragma once

#include <utility>

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

struct Tagged {
  UInt<5> a;
  bool b;
};

/// A submodule with arrays of structs at its ports: turns them around, and picks one.
struct TaggedPorts {
  struct Inputs {
    Vec<Tagged, 3> pair;
    UInt<2> i;
  };
  struct Outputs {
    Vec<Tagged, 3> pair;
    Tagged picked;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    for (int i = 0; i < 3; ++i) out.pair[i] = pair_[2 - i];
    out.picked = in.i == 3 ? Tagged{} : in.pair[static_cast<int>(in.i.value())];
    pair_ = in.pair;
    return out;
  }
  void reset() { pair_ = Vec<Tagged, 3>{}; }

 private:
  Vec<Tagged, 3> pair_;
};

/// Ports, local arrays and their elements picked and written by a variable.
struct Picks {
  struct Inputs {
    Vec<UInt<8>, 4> byte;
    Vec<UInt<6>, 5> six;
    Vec<bool, 7> flag;
    Tagged pair;
    Vec<Vec<UInt<3>, 4>, 2> grid;
    UInt<3> i;
    UInt<2> j;
    UInt<2> k;
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> byte;
    UInt<6> six;
    bool flag;
    Vec<UInt<6>, 4> pair;
    UInt<3> grid;
    UInt<8> local;
    Vec<UInt<8>, 4> written;
    UInt<8> sorted;
    Tagged last;
    UInt<8> word;
  };

  /// The i-th of three values in order.
  static UInt<8> nth(const UInt<8>& a, const UInt<8>& b, const UInt<8>& c, UInt<2> i) {
    UInt<8> order[3] = {a, b, c};
    for (int last = 2; last > 0; --last) {
      for (int at = 0; at < last; ++at) {
        if (order[at] > order[at + 1]) std::swap(order[at], order[at + 1]);
      }
    }
    return i < 3 ? order[i.value()] : UInt<8>(0);
  }

  Outputs clock(const Inputs& in) {
    Outputs out;
    out.byte = in.byte[static_cast<int>(in.j.value())];
    out.six = in.i < 5 ? in.six[static_cast<int>(in.i.value())] : UInt<6>(63);
    out.flag = in.i != 7 && in.flag[static_cast<int>(in.i.value())];
    const Vec<Tagged, 3> sent{in.pair, {truncate<UInt<5>>(in.x), in.flag[0]}, last_};
    const auto ports = ports_.clock({.pair = sent, .i = in.j});
    for (int n = 0; n < 3; ++n) out.pair[n] = concat(ports.pair[n].a, as_bit(ports.pair[n].b));
    out.pair[3] = concat(ports.picked.a, as_bit(ports.picked.b));
    out.grid = in.grid[static_cast<int>(slice<0, 0>(in.i).value())][static_cast<int>(in.j.value())];
    Vec<UInt<8>, 4> local{in.x, in.byte[0], ~in.x, in.byte[3]};
    local[static_cast<int>(in.k.value())] = UInt<8>(7);
    out.local = local[static_cast<int>(in.j.value())];
    local[static_cast<int>(in.j.value())] = in.byte[static_cast<int>(in.k.value())];
    out.written = local;
    out.sorted = nth(in.byte[0], in.byte[1], in.byte[2], in.j);
    Tagged pairs[4];
    for (int n = 0; n < 4; ++n)
      pairs[n] = {truncate<UInt<5>>(in.x + UInt<2>::from(static_cast<unsigned>(n))), in.flag[n]};
    pairs[in.k.value()] = in.pair;
    pairs[in.j.value()].b = !pairs[in.j.value()].b;
    out.last = last_;
    out.word = word_;
    last_ = pairs[in.j.value()];
    UInt<8> words[2] = {word_, in.x};
    words[in.k.value() & 1] = words[in.j.value() & 1];
    word_ = words[0];
    return out;
  }
  void reset() {
    ports_.reset();
    last_ = Tagged{};
    word_ = UInt<8>(0);
  }

 private:
  TaggedPorts ports_;
  Tagged last_;
  UInt<8> word_;
};

}  // namespace systole::tests
