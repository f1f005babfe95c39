// The systolic array as native C++, port by port and clock by clock, against its oracle.

#include "hls/kernels/systolic_array.h"

#include <catch2/catch.hpp>
#include <deque>
#include <memory>

#include "hls/reference/systolic_array.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;
using Oracle = reference::SystolicArray;

constexpr std::uint64_t kSeed = 0x5eed'0010;
constexpr int kTagBits = 20;

// Mostly ordinary numbers, so that a wrong sum shows; now and then any bits at all.
std::uint16_t random_operand(Random& random) {
  if (random.below(200) == 0) return random.bits16();
  const int exponent = random.between(112, 142);
  return static_cast<std::uint16_t>((random.bits16() & 0x807f) | (exponent << 7));
}

Oracle::Beat random_beat(int size, Random& random) {
  Oracle::Beat beat;
  for (int k = 0; k < size; ++k) {
    beat.activation.push_back(random_operand(random));
    beat.weight.push_back(random_operand(random));
  }
  beat.plane = random.below(2) == 0;
  beat.is_int8 = random.below(3) == 0;
  beat.weight_column = static_cast<int>(random.below(static_cast<std::uint32_t>(size)));
  beat.weight_plane = random.below(2) == 0;
  beat.weight_valid = random.below(2) == 0;
  return beat;
}

template <int kN>
typename kernels::SystolicArray<kN, kTagBits>::Inputs to_ports(const Oracle::Beat& beat,
                                                               std::uint32_t tag) {
  typename kernels::SystolicArray<kN, kTagBits>::Inputs in;
  for (int k = 0; k < kN; ++k) {
    in.activation[k] = UInt16::from(beat.activation[static_cast<std::size_t>(k)]);
    in.weight[k] = UInt16::from(beat.weight[static_cast<std::size_t>(k)]);
  }
  in.plane = as_bit(beat.plane);
  in.is_int8 = as_bit(beat.is_int8);
  in.tag = UInt<kTagBits>::from(tag);
  in.weight_column = UInt<kernels::kHopBits>::from(static_cast<unsigned>(beat.weight_column));
  in.weight_plane = as_bit(beat.weight_plane);
  in.weight_valid = as_bit(beat.weight_valid);
  return in;
}

// Every clock a random row and, half the time, a random weight column enter; every clock the row of
// kLatency clocks ago must leave. The first 2 kN beats set every weight of both planes.
template <int kN>
void run_random_beats(int clocks) {
  INFO("N " << kN << ", seed " << kSeed);
  using Array = kernels::SystolicArray<kN, kTagBits>;
  const auto array = std::make_unique<Array>();
  array->reset();
  Oracle oracle(kN);
  Random random(kSeed + kN);
  struct Expected {
    std::uint32_t tag;
    std::vector<std::uint32_t> sums;
  };
  std::deque<Expected> in_flight;
  int wrong_tags = 0;
  int wrong_sums = 0;
  for (int clock = 0; clock < clocks; ++clock) {
    Oracle::Beat beat = random_beat(kN, random);
    if (clock < 2 * kN) {
      beat.weight_valid = true;
      beat.weight_column = clock % kN;
      beat.weight_plane = clock >= kN;
    }
    const std::uint32_t tag = random.bits32() & ((1u << kTagBits) - 1);
    in_flight.push_back({tag, oracle.enter(beat)});
    const auto out = array->clock(to_ports<kN>(beat, tag));
    if (clock < Array::kLatency) {
      wrong_tags += out.tag.value() != 0;  // reset, so that nothing looks like a row
      continue;
    }
    const Expected expected = in_flight.front();
    in_flight.pop_front();
    wrong_tags += out.tag.value() != expected.tag;
    if (clock < Array::kLatency + 2 * kN) continue;
    for (int n = 0; n < kN; ++n) {
      wrong_sums += out.sum[n].value() != expected.sums[static_cast<std::size_t>(n)];
    }
  }
  CHECK(wrong_tags == 0);
  CHECK(wrong_sums == 0);
}

TEST_CASE("systolic array matches the oracle on every clock while weights of both planes change",
          "[systolic_array]") {
  run_random_beats<2>(4000);
  run_random_beats<4>(4000);
  run_random_beats<8>(3000);
  run_random_beats<16>(2000);
}

TEST_CASE("systolic array of 32 matches the oracle", "[systolic_array]") {
  run_random_beats<32>(700);
}

TEST_CASE("a weight beat does not touch the row that enters with it, only the next",
          "[systolic_array]") {
  using Array = kernels::SystolicArray<4, kTagBits>;
  Array array;
  array.reset();
  Oracle::Beat beat{.activation = {1, 0, 0, 0}, .is_int8 = true, .weight = {7, 0, 0, 0}};
  beat.weight_valid = true;
  array.clock(to_ports<4>(beat, 1));
  beat.weight = {9, 0, 0, 0};
  array.clock(to_ports<4>(beat, 2));
  beat.weight_valid = false;
  array.clock(to_ports<4>(beat, 3));
  std::vector<std::uint64_t> sums;
  for (int clock = 3; clock < Array::kLatency + 3; ++clock) {
    const auto out = array.clock(to_ports<4>(beat, 0));
    if (!(out.tag == 0)) sums.push_back(out.sum[0].value());
  }
  REQUIRE(sums.size() == 3);
  CHECK(sums[1] == 7);
  CHECK(sums[2] == 9);
}

}  // namespace
}  // namespace systole::tests
