// The store engine's RTL against its C++: all ports, every edge, in surroundings that keep their
// contract.

#include <Vstore_engine_16.h>
#include <Vstore_engine_4.h>

#include <catch2/catch.hpp>

#include "tests/rtl/kernels/store_engine.h"
#include "tests/rtl/lockstep.h"
#include "tests/support/store_world.h"

namespace systole::tests {
namespace {

/// An episode: the engine is reset, perhaps in the middle of the previous one, and stores run with
/// stalls of their own; some end in a fault, or are stopped and continue.
struct Episodes {
  int count = 0;
  int faults = 0;
  int stops = 0;
  int cut_short = 0;
  std::uint64_t bursts = 0;
};

template <int kN>
std::unique_ptr<StoreWorld<kN>> random_world(Random& random) {
  const auto chance = [&] { return random.below(2) == 0 ? 16 : random.between(3, 16); };
  StoreWorldOptions options{.burst_ready = chance(),
                            .write_ready = chance(),
                            .response = chance(),
                            .command = chance(),
                            .token = random.between(1, 16),
                            .latency = random.between(1, 100)};
  if (random.below(8) == 0) options.error_burst = random.below(100);
  auto world = std::make_unique<StoreWorld<kN>>(random.bits(), options);
  for (int nth = 0; nth < 25; ++nth) world->add(random_store<kN>(world->random(), nth));
  if (random.below(6) == 0) {
    kernels::Windows windows;
    for (int i = 0; i < kernels::kWindowCount; ++i) {
      const std::uint64_t base = random.below(25) * std::uint64_t{0x10'0000};
      windows[i] = {.base = kernels::Address::from(base + random.below(3) * 4096u),
                    .end = kernels::Address::from(base + random.below(2) * 0x80'0000u + 0x10'2010),
                    .open = hls::as_bit(random.below(4) != 0)};
    }
    windows[0].base = kernels::Address(0);
    world->set_windows(windows);
  }
  return world;
}

template <typename Model, int kN>
Episodes run_episodes(std::uint64_t seed, std::uint64_t edges) {
  using Top = StoreEngineTop<Model, kN>;
  Lockstep<Top> both(seed);
  auto engine = std::make_unique<kernels::StoreEngine<kN>>();  // its outputs drive the traffic
  Random random(seed);
  Episodes episodes;
  while (both.edges() < edges && both.mismatches() == 0) {
    auto world = random_world<kN>(random);
    both.clock(world->inputs(), true);
    engine->reset();
    both.compare_from_here();
    const bool cut_short = random.below(6) == 0;
    const bool stops = random.below(5) == 0;
    const auto stop_at = static_cast<std::uint64_t>(random.between(10, 2000));
    for (std::uint64_t clock = 0; !cut_short || clock < stop_at; ++clock) {
      const auto in = world->inputs();
      const auto out = engine->outputs();
      if (world->done() && out.idle) break;
      both.clock(in);
      engine->clock(in);
      world->observe(in, out);
      if (world->faults > 0 || (stops && clock == stop_at)) world->stop();
    }
    ++episodes.count;
    episodes.faults += world->faults;
    episodes.stops += stops;
    episodes.cut_short += cut_short;
    episodes.bursts += world->bursts;
  }
  INFO("seed " << seed << "; " << both.first_mismatch().message());
  CHECK(both.mismatches() == 0);
  CHECK(both.compared_edges() >= edges);
  return episodes;
}

void check_variety(const Episodes& episodes) {
  CHECK(episodes.count > 20);
  CHECK(episodes.faults > 2);
  CHECK(episodes.stops > 2);
  CHECK(episodes.cut_short > 2);
  CHECK(episodes.bursts > 2000);
}

TEST_CASE("RTL and C++ of the store engine agree on every edge of real traffic", "[store_engine]") {
  SECTION("N = 4") { check_variety(run_episodes<Vstore_engine_4, 4>(0x5eed'0401, 100'000)); }
  SECTION("N = 16") { check_variety(run_episodes<Vstore_engine_16, 16>(0x5eed'1601, 100'000)); }
}

}  // namespace
}  // namespace systole::tests
