// The compute engine's RTL against its C++: all ports, every edge, under random products.

#include <Vcompute_engine_16.h>
#include <Vcompute_engine_4.h>

#include <catch2/catch.hpp>

#include "tests/rtl/kernels/compute_engine.h"
#include "tests/rtl/lockstep.h"

namespace systole::tests {
namespace {

/// A run's episodes of products: some end in a reset, some stop and continue.
struct Episodes {
  int count = 0;
  int stops = 0;
  int cut_short = 0;
  std::uint64_t rows = 0;
  int tokens_given = 0;
  int waits_for_sums = 0;
};

template <typename Model, int kN>
Episodes run_episodes(std::uint64_t seed, std::uint64_t edges) {
  Lockstep<ComputeEngineTop<Model, kN>> both(seed);
  auto engine = std::make_unique<kernels::ComputeEngine<kN>>();  // its outputs drive the traffic
  Random random(seed);
  Episodes episodes;
  bool reset = true;
  while (both.edges() < edges && both.mismatches() == 0) {
    ComputeTraffic<kN> traffic(random.bits(), 30);
    const bool cut_short = random.below(5) == 0;
    const bool stops = random.below(5) == 0;
    const int stop_at = random.between(10, 1500);
    if (reset) {
      both.clock(traffic.inputs(), true);
      engine->reset();
      both.compare_from_here();
    }
    for (int clock = 0; !cut_short || clock < stop_at; ++clock) {
      if (stops && clock == stop_at) traffic.stop();
      const auto in = traffic.inputs();
      const auto out = engine->outputs();
      if (traffic.done() && out.idle) break;
      both.clock(in);
      engine->clock(in);
      traffic.observe(out);
    }
    reset = cut_short;  // otherwise the engine continues in its state
    ++episodes.count;
    episodes.stops += stops;
    episodes.cut_short += cut_short;
    episodes.rows += traffic.rows;
    episodes.tokens_given += traffic.tokens_given;
    episodes.waits_for_sums += traffic.waits_for_sums;
  }
  INFO("seed " << seed << "; " << both.first_mismatch().message());
  CHECK(both.mismatches() == 0);
  CHECK(both.compared_edges() >= edges);
  return episodes;
}

void check_variety(const Episodes& episodes) {
  CHECK(episodes.count > 100);
  CHECK(episodes.stops > 20);
  CHECK(episodes.cut_short > 20);
  CHECK(episodes.rows > 100'000);
  CHECK(episodes.tokens_given > 1000);
  CHECK(episodes.waits_for_sums > 50);
}

TEST_CASE("RTL and C++ of the compute engine agree on every edge", "[compute_engine]") {
  SECTION("N = 4") { check_variety(run_episodes<Vcompute_engine_4, 4>(0x5eed'0402, 500'000)); }
  SECTION("N = 16") { check_variety(run_episodes<Vcompute_engine_16, 16>(0x5eed'1602, 500'000)); }
}

}  // namespace
}  // namespace systole::tests
