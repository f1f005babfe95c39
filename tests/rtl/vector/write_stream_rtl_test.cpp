// The vector engine's write stream: its RTL against its C++, all ports, every edge; and both
// against what memory must hold.

#include <Vvector_write_stream_16.h>
#include <Vvector_write_stream_4.h>

#include <catch2/catch.hpp>

#include "tests/rtl/lockstep.h"
#include "tests/rtl/vector/stream_tops.h"
#include "tests/rtl/vector/write_stream_world.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0342;

template <typename Model, int kN>
void check_random_streams(int episodes) {
  Lockstep<VectorWriteStreamTop<Model, kN>> both(kSeed);
  both.clock({}, true);
  both.compare_from_here();
  Random random(kSeed);
  std::uint64_t words = 0;
  int faults = 0;
  for (int episode = 0; episode < episodes; ++episode) {
    INFO("seed " << kSeed << ", episode " << episode);
    WriteWorld<kN> world(random.bits(),
                         {.chance_of_16 = static_cast<std::uint32_t>(random.between(3, 16)),
                          .latency = random.below(80),
                          .error_at = random.below(4) == 0 ? random.below(40) : ~0ULL},
                         random.below(4) != 0);
    if (random.below(4) == 0) {
      world.windows[0] = {.base = kernels::Address::from(BusMemory<kN>::kBase + random.below(2000)),
                          .end = kernels::Address::from(BusMemory<kN>::kBase + 0x4000),
                          .open = hls::UInt1(1)};
    }
    const bool is_cut = random.below(5) == 0;
    both.clock({}, true);
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 6; ++i) world.add(random_stream<kN>(random, 4));
      const std::uint64_t limit = world.clocks + (is_cut ? random.below(2000) : 100'000);
      while (!world.is_done() && world.clocks < limit && both.mismatches() == 0) {
        both.clock(world.clock());
        if (world.fault.raised) world.stop = true;
        if (world.stop && world.is_idle()) break;
      }
      INFO(both.first_mismatch().message());
      REQUIRE(both.mismatches() == 0);
      if (!world.stop) CHECK((is_cut || world.is_all_written()));
      CHECK(world.strays() == 0);
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

TEST_CASE("a write stream of 4 lanes leaves in memory what its words say, in C++ and RTL",
          "[vector]") {
  check_random_streams<Vvector_write_stream_4, 4>(150);
}

TEST_CASE("a write stream of 16 lanes leaves in memory what its words say, in C++ and RTL",
          "[vector]") {
  check_random_streams<Vvector_write_stream_16, 16>(60);
}

TEST_CASE("a write stream fills the bus with aligned words", "[vector]") {
  for (const int format : {kernels::kStreamInt8, kernels::kStreamBf16, kernels::kStreamWord}) {
    WriteWorld<16> world(kSeed, {.latency = 20}, false);
    world.add({.address = kernels::Address::from(BusMemory<16>::kBase),
               .row_stride = hls::UInt32(0),
               .rows = hls::UInt16(2),
               .cols = hls::UInt16(4096),
               .format = hls::UInt<2>::from(static_cast<unsigned>(format)),
               .broadcasts = hls::UInt1(0),
               .command = hls::UInt16(0)});
    while (!world.is_done()) world.clock();
    INFO("format " << format);
    CHECK(world.is_all_written());
    const std::uint64_t beats = 512U << format;
    CHECK(world.clocks == beats + 29);
  }
}

TEST_CASE("a write stream reports the burst that memory refuses, and writes nothing after",
          "[vector]") {
  WriteWorld<4> world(kSeed, {.error_at = 3}, false);
  world.add({.address = kernels::Address::from(BusMemory<4>::kBase + 2),
             .row_stride = hls::UInt32(0),
             .rows = hls::UInt16(1),
             .cols = hls::UInt16(4000),
             .format = hls::UInt<2>(kernels::kStreamBf16),
             .broadcasts = hls::UInt1(0),
             .command = hls::UInt16(77)});
  for (int i = 0; i < 300; ++i) world.clock();
  CHECK(world.faults == 1);
  CHECK(world.fault.code.value() == kernels::kFaultWriteError);
  CHECK(world.fault.command.value() == 77);
  CHECK(world.fault.address.value() == BusMemory<4>::kBase + 2 + 3 * 8);
  CHECK(world.words < 20);
  CHECK(world.strays() == 0);
}

}  // namespace
}  // namespace systole::tests
