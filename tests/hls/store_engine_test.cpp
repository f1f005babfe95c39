// The store engine against its oracle, in a world that keeps to its contract.

#include "hls/kernels/store_engine.h"

#include <catch2/catch.hpp>

#include "tests/support/store_world.h"

namespace systole::tests {
namespace {

constexpr int kPatience = 200'000;

template <int kN>
void run(kernels::StoreEngine<kN>& engine, StoreWorld<kN>& world) {
  for (int clock = 0; clock < kPatience; ++clock) {
    const auto in = world.inputs();
    const auto out = engine.outputs();
    if (world.done() && out.idle) return;
    engine.clock(in);
    world.observe(in, out);
  }
  FAIL("the engine does not come to rest");
}

template <int kN>
void check_random_stores(std::uint64_t seed, const StoreWorldOptions& options) {
  INFO("seed " << seed << ", N " << kN);
  auto engine = std::make_unique<kernels::StoreEngine<kN>>();
  auto world = std::make_unique<StoreWorld<kN>>(seed, options);
  engine->reset();
  for (int nth = 0; nth < 60; ++nth) world->add(random_store<kN>(world->random(), nth));
  run(*engine, *world);
  CHECK(world->difference() == "");
  CHECK(world->faults == 0);
  CHECK(world->tokens_given[0] == world->tokens_expected[0]);
  CHECK(world->tokens_given[1] == world->tokens_expected[1]);
}

TEST_CASE("stores of every format and alignment write the oracle's bytes", "[store_engine]") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    check_random_stores<4>(seed, {});
    check_random_stores<8>(seed, {});
    check_random_stores<16>(seed, {});
    check_random_stores<32>(seed, {});
  }
}

TEST_CASE("stalls of the bus change nothing that is written", "[store_engine]") {
  for (std::uint64_t seed = 11; seed <= 14; ++seed) {
    check_random_stores<16>(seed, {.burst_ready = 4, .write_ready = 12});
    check_random_stores<16>(seed, {.burst_ready = 15, .write_ready = 5, .latency = 40});
    check_random_stores<16>(seed, {.response = 3, .command = 6, .token = 2, .latency = 90});
    check_random_stores<4>(seed, {.burst_ready = 8, .write_ready = 8, .response = 8, .latency = 1});
    check_random_stores<32>(seed, {.burst_ready = 8, .write_ready = 8, .response = 8});
  }
}

}  // namespace
}  // namespace systole::tests
