// Threads run natively: what Process shows and does on each edge.

#include "systole/hls/thread.h"

#include <catch2/catch.hpp>
#include <vector>

#include "systole/hls/stream.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

Thread count_down(StreamIn<UInt8>& starts, StreamOut<UInt8>& counts, UInt8& finished) {
  finished = UInt8(0);
start:
  for (;;) {
    UInt8 count = co_await starts.pop();
    while (!(count == 0)) {
      co_await counts.push(count);
      count = truncate<UInt8>(count - UInt1(1));
    }
    finished = truncate<UInt8>(finished + UInt1(1));
  }
}

Thread two_beats(StreamOut<UInt8>& beats) {
  co_await beats.push(UInt8(3));
  co_await clock();
  co_await beats.push(UInt8(4));
}

Task<UInt8> sum_of_two(StreamIn<UInt8>& values) {
  const UInt8 first = co_await values.pop();
  const UInt8 second = co_await values.pop();
  co_return truncate<UInt8>(first + second);
}
Thread wait_for(UInt8 clocks) {
  for (; clocks != 0; --clocks) co_await clock();
}
Thread show_sums(StreamIn<UInt8>& values, UInt8& sum) {
  sum = 0;
  co_await wait_for(2);
  for (;;) {
    co_await wait_for(0);
    sum = co_await sum_of_two(values);
  }
}

using CountDown = Process<&count_down>;

CountDown::Inputs inputs(bool valid, unsigned data, bool ready) {
  CountDown::Inputs in;
  part<0>(in) = {.valid = as_bit(valid), .data = UInt8::from(data)};
  part<1>(in) = as_bit(ready);
  return in;
}

TEST_CASE("a thread waits in place until its stream has a beat", "[thread]") {
  CountDown process;
  for (int clock = 0; clock < 5; ++clock) {
    CHECK(part<0>(process.outputs()) == UInt1(1));
    CHECK(part<1>(process.outputs()).valid == UInt1(0));
    process.clock(inputs(false, 9, true));
  }
  process.clock(inputs(true, 2, true));
  CHECK(part<0>(process.outputs()) == UInt1(0));
  CHECK(part<1>(process.outputs()).valid == UInt1(1));
  CHECK(part<1>(process.outputs()).data == UInt8(2));
}

TEST_CASE("a thread goes on at the edge at which its helper returns", "[thread]") {
  Process<&show_sums> process;
  Process<&show_sums>::Inputs in;
  part<0>(in) = {.valid = UInt1(1), .data = UInt8(20)};
  CHECK(part<0>(process.outputs()) == UInt1(0));
  process.clock(in);
  CHECK(part<0>(process.outputs()) == UInt1(0));
  process.clock(in);
  for (int sum = 0; sum < 3; ++sum) {
    CHECK(part<0>(process.outputs()) == UInt1(1));
    process.clock(in);
    CHECK(part<0>(process.outputs()) == UInt1(1));
    process.clock(in);
    CHECK(part<1>(process.outputs()) == UInt8(40));
  }
}

TEST_CASE("a reset in the middle of a helper starts the thread again", "[thread]") {
  Process<&show_sums> process;
  Process<&show_sums>::Inputs in;
  part<0>(in) = {.valid = UInt1(1), .data = UInt8(1)};
  for (int clock = 0; clock < 3; ++clock) process.clock(in);
  process.reset();
  CHECK(part<0>(process.outputs()) == UInt1(0));
  for (int clock = 0; clock < 4; ++clock) process.clock(in);
  CHECK(part<1>(process.outputs()) == UInt8(2));
}

TEST_CASE("a pushed beat holds still until it is taken, and is pushed once", "[thread]") {
  CountDown process;
  process.clock(inputs(true, 2, false));
  for (int clock = 0; clock < 3; ++clock) {
    process.clock(inputs(true, 77, false));
    CHECK(part<1>(process.outputs()).data == UInt8(2));
  }
  process.clock(inputs(false, 0, true));
  CHECK(part<1>(process.outputs()).data == UInt8(1));
  process.clock(inputs(false, 0, true));
  CHECK(part<1>(process.outputs()).valid == UInt1(0));
  CHECK(part<2>(process.outputs()) == UInt8(1));
}

TEST_CASE("a thread with nothing to push takes one clock for each beat", "[thread]") {
  CountDown process;
  for (int clock = 0; clock < 4; ++clock) process.clock(inputs(true, 0, true));
  CHECK(part<2>(process.outputs()) == UInt8(4));
}

TEST_CASE("reset brings a thread back to its first wait, whatever it was doing", "[thread]") {
  CountDown process;
  process.clock(inputs(true, 5, true));
  process.clock(inputs(true, 5, true));
  process.reset();
  CHECK(part<0>(process.outputs()) == UInt1(1));
  CHECK(part<1>(process.outputs()).valid == UInt1(0));
  CHECK(part<2>(process.outputs()) == UInt8(0));
  process.clock(inputs(true, 1, true));
  CHECK(part<1>(process.outputs()).data == UInt8(1));
}

TEST_CASE("a thread that returns stays idle until the next reset", "[thread]") {
  Process<&two_beats> process;
  std::vector<std::uint64_t> taken;
  Process<&two_beats>::Inputs in;
  part<0>(in) = UInt1(1);
  const auto run = [&](int clocks) {
    for (int clock = 0; clock < clocks; ++clock) {
      const auto out = process.outputs();
      if (part<0>(out).valid) taken.push_back(part<0>(out).data.value());
      process.clock(in);
    }
  };
  run(10);
  CHECK(taken == std::vector<std::uint64_t>{3, 4});
  process.reset();
  run(10);
  CHECK(taken == std::vector<std::uint64_t>{3, 4, 3, 4});
}

TEST_CASE("processes connected by channels lose and repeat nothing, in either order", "[thread]") {
  for (const bool producer_first : {true, false}) {
    INFO((producer_first ? "producer" : "consumer") << " first");
    Channel<UInt8, 2> starts;
    Channel<UInt8, 1> counts;
    Channel<UInt8, 2> more;
    Process<&count_down> first;
    Process<&count_down> second;
    starts.reset();
    counts.reset();
    more.reset();
    UInt8 finished_first;
    UInt8 finished_second;
    std::vector<std::uint64_t> taken;
    int clocks = 0;
    for (; clocks < 100; ++clocks) {
      starts.push({.valid = as_bit(clocks == 0), .data = UInt8(3)});
      if (more.front().valid) taken.push_back(more.front().data.value());
      more.pop(UInt1(1));
      if (producer_first) first.connect(starts, counts, finished_first);
      second.connect(counts, more, finished_second);
      if (!producer_first) first.connect(starts, counts, finished_first);
      starts.update();
      counts.update();
      more.update();
      if (finished_second == UInt8(3)) break;
    }
    CHECK(taken == std::vector<std::uint64_t>{3, 2, 1, 2, 1, 1});
    CHECK(finished_first == UInt8(1));
    CHECK(clocks == 12);  // the last beat leaves at edge 11 and is seen finished one later
  }
}

}  // namespace
}  // namespace systole::tests
