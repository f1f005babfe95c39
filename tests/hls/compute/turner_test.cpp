// The turner as native C++, against a transpose in place.

#include "hls/kernels/turner.h"

#include <catch2/catch.hpp>
#include <deque>
#include <vector>

#include "hls/reference/compute.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr std::uint64_t kSeed = 0x5eed'0042;

template <int kN>
void check_tiles() {
  Random random(kSeed);
  kernels::Turner<kN> turner;
  turner.reset();
  std::deque<std::vector<std::uint16_t>> inside;
  for (int tile = 0; tile < 200; ++tile) {
    const bool turned = random.below(2) == 0;
    const bool blank = random.below(5) == 0;
    std::vector<std::uint16_t> words;
    for (int i = 0; i < kN; ++i) {
      while (random.below(3) == 0) turner.clock({});  // nothing moves without a step
      const auto shown = turner.outputs().word;
      typename kernels::Turner<kN>::Inputs in;
      in.step = UInt1(1);
      in.blank = as_bit(blank);
      in.turn = as_bit(turned && i == kN - 1);
      for (int n = 0; n < kN; ++n) {
        in.word[n] = UInt16::from(random.bits16());
        words.push_back(blank ? std::uint16_t{0} : static_cast<std::uint16_t>(in.word[n].value()));
      }
      turner.clock(in);
      for (int n = 0; !inside.empty() && n < kN; ++n) {
        INFO("N " << kN << ", tile " << tile << ", word " << i << ", element " << n);
        REQUIRE(shown[n].value() == inside.front()[static_cast<std::size_t>(i * kN + n)]);
      }
    }
    if (turned) reference::turn(kN, words);
    if (!inside.empty()) inside.pop_front();
    inside.push_back(words);
  }
}

TEST_CASE("tiles leave the turner back to back, as they entered or transposed", "[turner]") {
  INFO("seed " << kSeed);
  check_tiles<4>();
  check_tiles<16>();
}

}  // namespace
}  // namespace systole::tests
