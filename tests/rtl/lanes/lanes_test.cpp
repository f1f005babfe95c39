// The pass systole-lanes changes no loop's results.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "tests/rtl/lanes/lane_loops.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0071;
constexpr std::size_t kLanes = 128;

enum class Uniform { kZeros, kOnes, kLastDiffers, kFirstDiffers, kAny, kOtherBytes, kCount };

std::uint8_t bit_of(Uniform kind, std::size_t lane, Random& random) {
  switch (kind) {
    case Uniform::kZeros:
      return 0;
    case Uniform::kOnes:
      return 1;
    case Uniform::kLastDiffers:
      return lane == kLanes - 1;
    case Uniform::kFirstDiffers:
      return lane != 0;
    case Uniform::kAny:
      return static_cast<std::uint8_t>(random.below(2));
    default:
      return 3;  // no bit at all, and the same in all lanes
  }
}

std::array<LaneModel, 2> random_models(Uniform kind, Random& random) {
  std::array<LaneModel, 2> models;
  for (LaneModel& model : models) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      model.is_int8_q[lane] = bit_of(kind, lane, random);
      model.flag_q[lane] = static_cast<std::uint8_t>(random.below(2));
      model.value_q[lane] = random.bits16();
      model.sum_q[lane] = random.below(4) == 0 ? 9 : random.bits32();
    }
    for (std::uint32_t& total : model.total_q) total = random.bits32();
    model.one_q = random.bits32();
    model.seen = random.bits32();
  }
  return models;
}

TEST_CASE("loops over lanes compute the same with the pass and without", "[lanes]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  const auto& plain_loops = plain::lane_functions();
  const auto& marked_loops = marked::lane_functions();
  REQUIRE(plain_loops.size() == marked_loops.size());
  for (int kind = 0; kind < static_cast<int>(Uniform::kCount); ++kind) {
    for (std::size_t loop = 0; loop < plain_loops.size(); ++loop) {
      for (int repetition = 0; repetition < 20; ++repetition) {
        INFO("loop " << loop << ", kind " << kind << ", repetition " << repetition);
        auto expected = random_models(static_cast<Uniform>(kind), random);
        auto computed = expected;
        plain_loops[loop](expected.data());
        marked_loops[loop](computed.data());
        REQUIRE(std::memcmp(&expected, &computed, sizeof expected) == 0);
      }
    }
  }
}

}  // namespace
}  // namespace systole::tests
