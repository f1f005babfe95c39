// A stalling pipeline, clock by clock, against its function.

#include "systole/hls/stream_pipeline.h"

#include <catch2/catch.hpp>
#include <deque>

#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr std::uint64_t kSeed = 0x5eed'0052;
constexpr int kClocks = 4000;

constexpr UInt<32> square(const UInt16& x) { return x * x; }

struct Traffic {
  int received = 0;
  int first_at = -1;  ///< the clock at which the first result was taken
};

/// Pushes random elements as a producer that keeps the rule, pops with random stalls, and checks
/// each result against the function, in order.
template <int kStages>
Traffic run(int push_percent, int pop_percent) {
  Random random(kSeed);
  StreamPipeline<&square, kStages> pipeline;
  pipeline.reset();
  std::deque<std::uint64_t> inside;
  Beat<UInt16> offer{};
  Beat<UInt<32>> stalled{};
  Traffic traffic;
  for (int clock = 0; clock < kClocks; ++clock) {
    if (!offer.valid && random.below(100) < static_cast<std::uint32_t>(push_percent)) {
      offer = {.valid = UInt1(1), .data = UInt16::from(random.bits())};
    }
    const bool ready = random.below(100) < static_cast<std::uint32_t>(pop_percent);
    const auto out = pipeline.clock({.in = offer, .out_ready = as_bit(ready)});
    if (stalled.valid) {
      CHECK(out.out.valid);
      CHECK(out.out.data == stalled.data);
    }
    stalled = {.valid = as_bit(out.out.valid && !ready), .data = out.out.data};
    if (out.out.valid && ready) {
      REQUIRE(!inside.empty());
      REQUIRE(out.out.data.value() == inside.front() * inside.front());
      inside.pop_front();
      if (traffic.received++ == 0) traffic.first_at = clock;
    }
    if (offer.valid && out.in_ready) {
      inside.push_back(offer.data.value());
      offer.valid = UInt1(0);
    }
    REQUIRE(inside.size() <= kStages);
  }
  return traffic;
}

TEST_CASE("a stalling pipeline loses, repeats and reorders nothing under random stalls",
          "[stream_pipeline]") {
  for (const int push : {10, 50, 100}) {
    for (const int pop : {10, 50, 100}) {
      INFO("push " << push << " %, pop " << pop << " %, seed " << kSeed);
      CHECK(run<1>(push, pop).received > kClocks / 20);
      CHECK(run<2>(push, pop).received > kClocks / 20);
      CHECK(run<7>(push, pop).received > kClocks / 20);
    }
  }
}

TEST_CASE("a stalling pipeline that is never stalled gives a result every clock",
          "[stream_pipeline]") {
  const Traffic traffic = run<5>(100, 100);
  CHECK(traffic.first_at == 5);
  CHECK(traffic.received == kClocks - 5);
}

TEST_CASE("bubbles in a stalling pipeline close while its output stalls", "[stream_pipeline]") {
  StreamPipeline<&square, 3> pipeline;
  pipeline.reset();
  int taken = 0;
  for (int clock = 0; clock < 12; ++clock) {
    const Beat<UInt16> beat{.valid = as_bit(clock % 3 == 0), .data = UInt16::from(7)};
    const auto out = pipeline.clock({.in = beat, .out_ready = UInt1(0)});
    taken += beat.valid && out.in_ready;
  }
  CHECK(taken == 3);
}

TEST_CASE("only stages that move load from the stage before", "[pipeline]") {
  Pipeline<&square, 2> pipeline;
  pipeline.clock_where(UInt<2>(1), UInt16(3));
  pipeline.clock_where(UInt<2>(2), UInt16(4));
  CHECK(pipeline.output().value() == 9);
  pipeline.clock_where(UInt<2>(3), UInt16(5));
  CHECK(pipeline.output().value() == 9);
  pipeline.clock_where(UInt<2>(0), UInt16(6));
  CHECK(pipeline.output().value() == 9);
  pipeline.clock_where(UInt<2>(2), UInt16(6));
  CHECK(pipeline.output().value() == 25);
}

}  // namespace
}  // namespace systole::tests
