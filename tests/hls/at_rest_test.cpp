// Parts that are skipped while they rest, beside the same parts in every clock.
#include "hls/kernels/at_rest.h"

#include <catch2/catch.hpp>

#include "hls/kernels/vector/read_stream.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace kernels;

constexpr std::uint64_t kSeed = 0x5eed'0051;

/// Nothing shows for a hundred clocks after `go`; then `done` does.
struct Slow {
  struct Inputs {
    UInt1 go;
  };
  struct Outputs {
    UInt1 done;
  };
  Outputs outputs() const { return {.done = done_}; }
  void clock(const Inputs& in) {
    done_ = as_bit(left_ == 1);
    if (left_ != 0) left_ = truncate<UInt8>(left_ - UInt1(1));
    if (in.go) left_ = UInt8(100);
  }
  void reset() {
    left_ = UInt8(0);
    done_ = UInt1(0);
  }
  UInt8 left_;
  UInt1 done_;
};

using Reader = VectorReadStream<4, false>;

/// What the reader meets: streams, a bus with gaps, and anything where a signal means nothing.
class Traffic {
 public:
  explicit Traffic(Random& random) : random_(random) {
    windows_[0] = {.base = Address(0), .end = Address(1 << 20), .open = UInt1(1)};
  }

  Reader::Inputs next(const Reader::Outputs& shown) {
    if (random_.below(50) == 0) busy_ = !busy_;
    Reader::Inputs in{};
    in.windows = windows_;
    in.stream.valid = as_bit(busy_ && shown.stream_ready && random_.below(20) == 0);
    in.stream.data = {.address = Address::from(random_.below(1 << 16)),
                      .row_stride = UInt32::from(random_.below(100)),
                      .rows = UInt16::from(1 + random_.below(5)),
                      .cols = UInt16::from(1 + random_.below(60)),
                      .format = UInt<2>::from(random_.below(3)),
                      .broadcasts = UInt1::from(random_.below(4) == 0),
                      .command = CommandIndex::from(random_.below(100))};
    in.burst_ready = as_bit(random_.below(2) == 0);
    in.word_ready = as_bit(busy_ && random_.below(2) == 0);
    in.read.valid = as_bit(beats_ > 0 && random_.below(3) == 0);
    in.read.data.last = as_bit(beats_ == 1 || (!in.read.valid && random_.below(2) == 0));
    in.read.data.error = as_bit(!in.read.valid && random_.below(2) == 0);
    if (in.read.valid) {
      // A burst's beats come before the next burst's.
      in.read.data.last = as_bit(--first_ == 0);
      --beats_;
    }
    if (shown.burst.valid && in.burst_ready) {
      owed_[end_++ % 64] = static_cast<int>(shown.burst.data.beats_less_one.value()) + 1;
      beats_ += owed_[(end_ - 1) % 64];
    }
    if (first_ == 0 && begin_ < end_) first_ = owed_[begin_++ % 64];
    return in;
  }

 private:
  Random& random_;
  Windows windows_{};
  bool busy_ = true;
  int beats_ = 0, first_ = 0, owed_[64] = {};
  unsigned begin_ = 0, end_ = 0;
};

bool same(const Reader::Outputs& a, const Reader::Outputs& b) {
  const auto same_burst = a.burst.data.address == b.burst.data.address &&
                          a.burst.data.beats_less_one == b.burst.data.beats_less_one;
  return a.stream_ready == b.stream_ready && a.burst.valid == b.burst.valid &&
         (!a.burst.valid || same_burst) && a.word.valid == b.word.valid &&
         a.fault.raised == b.fault.raised && a.idle == b.idle;
}

}  // namespace

TEST_CASE("a part that counts without a sign of it does not rest", "[at_rest]") {
  Slow every_clock;
  AtRest<Slow> skipped;
  every_clock.reset();
  skipped.reset();
  Random random(kSeed);
  int rested = 0, done = 0;
  for (int clock = 0; clock < 20'000; ++clock) {
    const Slow::Inputs in{.go = as_bit(random.below(300) == 0)};
    every_clock.clock(in);
    skipped.clock(in);
    REQUIRE(every_clock.outputs().done == skipped.outputs().done);
    rested += skipped.rests();
    done += bool(skipped.outputs().done);
  }
  CHECK(rested > 5'000);
  CHECK(done > 20);
}

TEST_CASE("a stream that is skipped while it rests shows the same in every clock", "[at_rest]") {
  Random random(kSeed);
  int rested = 0, bursts = 0, words = 0;
  for (int run = 0; run < 40; ++run) {
    Reader every_clock;
    AtRest<Reader> skipped;
    every_clock.reset();
    skipped.reset();
    Traffic traffic(random);
    for (int clock = 0; clock < 3'000; ++clock) {
      const auto shown = every_clock.outputs();
      INFO("run " << run << ", clock " << clock);
      REQUIRE(same(shown, skipped.outputs()));
      const Reader::Inputs in = traffic.next(shown);
      every_clock.clock(in);
      skipped.clock(in);
      rested += skipped.rests();
      bursts += shown.burst.valid && in.burst_ready;
      words += shown.word.valid && in.word_ready;
    }
  }
  CHECK(rested > 10'000);
  CHECK(bursts > 1'000);
  CHECK(words > 5'000);
}

}  // namespace systole::tests
