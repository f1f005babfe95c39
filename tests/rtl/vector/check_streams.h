#pragma once

#include <catch2/catch.hpp>
#include <cstdint>

#include "tests/rtl/lockstep.h"
#include "tests/rtl/vector/bus_memory.h"
#include "tests/rtl/vector/streams.h"

namespace systole::tests {

/// What differs between the vector engine's read and write streams under random traffic.
struct StreamTraffic {
  std::uint64_t seed = 0;
  int formats = 0;  ///< as random_stream takes them
  int errors = 0;   ///< memory refuses one of so many beats or bursts
};

/// Runs episodes of random streams on the RTL and its C++, in lock-step: some are cut short by a
/// reset, some meet a fault and go on after a stop. `at_end(world, is_cut)` checks a round.
template <typename Top, template <int> typename World, int kN, typename AtEnd>
void check_random_streams(const StreamTraffic& traffic, int episodes, AtEnd at_end) {
  Lockstep<Top> both(traffic.seed);
  both.clock({}, true);
  both.compare_from_here();
  Random random(traffic.seed);
  std::uint64_t words = 0;
  int faults = 0;
  for (int episode = 0; episode < episodes; ++episode) {
    INFO("seed " << traffic.seed << ", episode " << episode);
    World<kN> world(random.bits(),
                    {.chance_of_16 = static_cast<std::uint32_t>(random.between(3, 16)),
                     .latency = random.below(80),
                     .error_at = random.below(4) == 0 ? random.below(traffic.errors) : ~0ULL},
                    random.below(4) != 0);
    if (random.below(4) == 0) {
      world.windows[0] = {.base = kernels::Address::from(BusMemory<kN>::kBase + random.below(2000)),
                          .end = kernels::Address::from(BusMemory<kN>::kBase + 0x4000),
                          .open = hls::UInt1(1)};
    }
    const bool is_cut = random.below(5) == 0;
    both.clock({}, true);
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 6; ++i) world.add(random_stream<kN>(random, traffic.formats));
      const std::uint64_t limit = world.clocks + (is_cut ? random.below(2000) : 100'000);
      while (!world.is_done() && world.clocks < limit && both.mismatches() == 0) {
        both.clock(world.clock());
        if (world.fault.raised) world.stop = true;
        if (world.stop && world.is_idle()) break;
      }
      INFO(both.first_mismatch().message());
      REQUIRE(both.mismatches() == 0);
      at_end(world, is_cut);
      if (is_cut) break;
      if (world.stop) both.clock(world.clock());
      faults += world.faults;
      world.faults = 0;
      world.fault = {};
      world.restart();
      world.memory.fail_at(~std::uint64_t{0});
      world.windows[0].base = kernels::Address(0);
      world.windows[0].end = ~kernels::Address(0);
      both.clock(world.clock());
    }
    words += world.words;
  }
  CHECK(words > 100U * static_cast<unsigned>(episodes));
  CHECK(faults > episodes / 10);
}

}  // namespace systole::tests
