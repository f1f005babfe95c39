// The harness itself must be able to fail, and to say where.

#include <catch2/catch.hpp>

#include "tests/rtl/kernels/accumulators.h"
#include "tests/rtl/kernels/processing_element.h"
#include "tests/rtl/lockstep_kernel.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0025;
constexpr std::uint64_t kFlipEdge = 100;
constexpr std::uint64_t kEdges = 200;

/// Primes a pair with one fault and drives it until kEdges.
template <typename Top>
std::unique_ptr<Lockstep<Top>> run_with(const Flip& flip) {
  auto both = std::make_unique<Lockstep<Top>>(kSeed);
  Random random(kSeed);
  typename Top::Stimulus stimulus;
  both->inject(flip);
  both->clock(stimulus.next(random), Lockstep<Top>::kHasReset);
  while (both->edges() < kEdges) {
    auto in = stimulus.next(random);
    const auto primed = static_cast<int>(both->edges()) - 1;
    if (primed < Top::Stimulus::kPrimeClocks) stimulus.prime(primed, in);
    if (primed == Top::Stimulus::kPrimeClocks) both->compare_from_here();
    both->clock(in);
  }
  return both;
}

TEST_CASE("a flipped output bit is reported with its edge, port and both values", "[lockstep]") {
  INFO("seed " << kSeed);
  using Top = ProcessingElementTop<>;
  for (const auto& [port, bits] :
       {std::pair{"operand_activation_o", 16}, std::pair{"operand_plane_o", 1},
        std::pair{"operand_is_int8_o", 1}, std::pair{"weight_value_o", 16},
        std::pair{"weight_hops_o", 7}, std::pair{"weight_plane_o", 1},
        std::pair{"weight_valid_o", 1}, std::pair{"sum_o", 32}}) {
    for (int bit = 0; bit < bits; ++bit) {
      const auto both = run_with<Top>({.edge = kFlipEdge, .port = port, .lane = 0, .bit = bit});
      REQUIRE(both->mismatches() == 1);
      const Mismatch found = both->first_mismatch();
      CHECK(found.edge == kFlipEdge);
      CHECK(found.port == port);
      CHECK((found.native ^ found.rtl) == std::uint64_t{1} << bit);
    }
  }
}

TEST_CASE("a flipped bit is found in every lane of a wide port", "[lockstep]") {
  INFO("seed " << kSeed);
  for (int lane = 0; lane < AccumulatorsTop::kN; ++lane) {
    const auto both =
        run_with<AccumulatorsTop>({.edge = kFlipEdge, .port = "result_o", .lane = lane, .bit = 31});
    REQUIRE(both->mismatches() == 1);
    CHECK(both->first_mismatch().lane == lane);
    CHECK((both->first_mismatch().native ^ both->first_mismatch().rtl) == 0x8000'0000);
  }
}

TEST_CASE("a wrong input bit shows at the output it reaches", "[lockstep]") {
  INFO("seed " << kSeed);
  const auto both = run_with<ProcessingElementTop<>>(
      {.edge = kFlipEdge, .port = "operand_is_int8_i", .lane = 0, .bit = 0});
  REQUIRE(both->mismatches() >= 1);
  CHECK(both->first_mismatch().edge == kFlipEdge + 1);
  CHECK(both->first_mismatch().port == "operand_is_int8_o");
}

TEST_CASE("C++ with one more pipeline stage than the RTL disagrees", "[lockstep]") {
  INFO("seed " << kSeed);
  const LockstepReport report =
      run_lockstep<ProcessingElementTop<kernels::kMacStages + 1>>(kSeed, kEdges);
  CHECK(report.mismatches > kEdges / 2);
  INFO(report.first_mismatch);
  CHECK(report.first_mismatch.find("sum_o lane 0 is 0x") != std::string::npos);
}

TEST_CASE("a pair without a fault has no mismatch", "[lockstep]") {
  INFO("seed " << kSeed);
  const auto both = run_with<ProcessingElementTop<>>({.edge = kEdges, .port = "sum_o"});
  CHECK(both->mismatches() == 0);
}

}  // namespace
}  // namespace systole::tests
