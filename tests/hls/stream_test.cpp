// The type layer's streams, clock by clock, against a deque.

#include "systole/hls/stream.h"

#include <catch2/catch.hpp>
#include <deque>

#include "systole/hls/vec.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr std::uint64_t kSeed = 0x5eed'0051;
constexpr int kClocks = 5000;

/// Pushes 0, 1, 2, ... as a producer that keeps the rule, pops with random stalls, and checks that
/// they come out in order; returns how many came.
template <typename Cell>
int elements_through(Cell& cell, int push_percent, int pop_percent, int most_inside) {
  Random random(kSeed);
  cell.reset();
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  bool offered = false;
  Beat<UInt16> stalled{};
  for (int clock = 0; clock < kClocks; ++clock) {
    const auto out = cell.outputs();
    if (stalled.valid) {
      CHECK(out.pop.valid);
      CHECK(out.pop.data == stalled.data);
    }
    offered = offered || random.below(100) < static_cast<std::uint32_t>(push_percent);
    const bool ready = random.below(100) < static_cast<std::uint32_t>(pop_percent);
    if (out.pop.valid && ready) {
      REQUIRE(out.pop.data.value() == (received & 0xffff));
      ++received;
    }
    stalled = {.valid = as_bit(out.pop.valid && !ready), .data = out.pop.data};
    cell.clock({.push = {.valid = as_bit(offered), .data = UInt16::from(sent)},
                .pop_ready = as_bit(ready)});
    if (offered && out.push_ready) {
      ++sent;
      offered = false;
    }
    REQUIRE(sent - received <= static_cast<std::uint64_t>(most_inside));
  }
  return static_cast<int>(received);
}

template <typename Cell>
void check_order(int most_inside) {
  for (const int push : {10, 50, 100}) {
    for (const int pop : {10, 50, 100}) {
      INFO("push " << push << " %, pop " << pop << " %, seed " << kSeed);
      Cell cell;
      CHECK(elements_through(cell, push, pop, most_inside) > kClocks / 20);
    }
  }
}

TEST_CASE("a fifo of any depth loses, repeats and reorders nothing under random stalls", "[fifo]") {
  check_order<Fifo<UInt16, 1>>(1);
  check_order<Fifo<UInt16, 2>>(2);
  check_order<Fifo<UInt16, 3>>(3);
  check_order<Fifo<UInt16, 7>>(7);
  check_order<Fifo<UInt16, 64>>(64);
}

TEST_CASE("a register slice loses, repeats and reorders nothing under random stalls",
          "[register_slice]") {
  check_order<RegisterSlice<UInt16>>(2);
}

TEST_CASE("a fifo of depth 2 or more and a register slice take and give an element every clock",
          "[fifo][register_slice]") {
  Fifo<UInt16, 2> two;
  Fifo<UInt16, 5> five;
  RegisterSlice<UInt16> slice;
  CHECK(elements_through(two, 100, 100, 2) == kClocks - 1);
  CHECK(elements_through(five, 100, 100, 5) == kClocks - 1);
  CHECK(elements_through(slice, 100, 100, 2) == kClocks - 1);
}

TEST_CASE("a fifo of depth 1 takes an element every other clock", "[fifo]") {
  Fifo<UInt16, 1> one;
  CHECK(elements_through(one, 100, 100, 1) == kClocks / 2);
}

TEST_CASE("a full fifo takes nothing, even while it is popped", "[fifo]") {
  Fifo<UInt8, 3> fifo;
  fifo.reset();
  for (int i = 0; i < 3; ++i) {
    CHECK(fifo.outputs().push_ready);
    fifo.clock({.push = {.valid = UInt1(1), .data = UInt8::from(10 + i)}, .pop_ready = UInt1(0)});
  }
  CHECK(!fifo.outputs().push_ready);
  fifo.clock({.push = {.valid = UInt1(1), .data = UInt8(99)}, .pop_ready = UInt1(1)});
  CHECK(fifo.outputs().push_ready);
  for (int i = 1; i < 3; ++i) {
    CHECK(fifo.outputs().pop.data.value() == static_cast<std::uint64_t>(10 + i));
    fifo.clock({.push = {.valid = UInt1(0), .data = UInt8(0)}, .pop_ready = UInt1(1)});
  }
  CHECK(!fifo.outputs().pop.valid);
}

TEST_CASE("a channel moves what was pushed and popped in the clock, and nothing twice",
          "[channel]") {
  Channel<UInt8, 2> channel;
  channel.reset();
  CHECK(channel.ready());
  CHECK(!channel.front().valid);
  channel.push({.valid = UInt1(1), .data = UInt8(7)});
  channel.update();
  CHECK(channel.front().data.value() == 7);
  channel.update();  // nobody pushes or pops
  channel.push({.valid = UInt1(1), .data = UInt8(8)});
  channel.pop(UInt1(1));
  channel.update();
  CHECK(channel.front().data.value() == 8);
  channel.pop(UInt1(1));
  channel.update();
  CHECK(!channel.front().valid);
}

TEST_CASE("reset empties a fifo and a register slice", "[fifo][register_slice]") {
  struct Pair {
    UInt<3> a;
    Vec<UInt8, 2> b;
  };
  Fifo<Pair, 2> fifo;
  RegisterSlice<Pair> slice;
  fifo.reset();
  slice.reset();
  const Beat<Pair> beat{.valid = UInt1(1), .data = {.a = UInt<3>(5), .b = {{UInt8(1), UInt8(2)}}}};
  for (int i = 0; i < 2; ++i) {
    fifo.clock({.push = beat, .pop_ready = UInt1(0)});
    slice.clock({.push = beat, .pop_ready = UInt1(0)});
  }
  CHECK(fifo.outputs().pop.data.b[1].value() == 2);
  CHECK(slice.outputs().pop.data.a.value() == 5);
  CHECK(!fifo.outputs().push_ready);
  CHECK(!slice.outputs().push_ready);
  fifo.reset();
  slice.reset();
  CHECK(!fifo.outputs().pop.valid);
  CHECK(!slice.outputs().pop.valid);
  CHECK(fifo.outputs().push_ready);
  CHECK(slice.outputs().push_ready);
}

}  // namespace
}  // namespace systole::tests
