// The vector engine's read stream: its RTL against its C++, all ports, every edge; and both against
// what memory holds.

#include <Vvector_read_stream_16.h>
#include <Vvector_read_stream_4.h>

#include <catch2/catch.hpp>

#include "tests/rtl/vector/check_streams.h"
#include "tests/rtl/vector/read_stream_world.h"
#include "tests/rtl/vector/stream_tops.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0341;

template <typename Model, int kN>
void check(int episodes) {
  const auto at_end = [](const ReadWorld<kN>& world, bool is_cut) {
    CHECK(world.wrong == 0);
    CHECK((is_cut || world.stop || world.is_done()));
  };
  check_random_streams<VectorReadStreamTop<Model, kN>, ReadWorld, kN>(
      {.seed = kSeed, .formats = 3, .errors = 200}, episodes, at_end);
}

TEST_CASE("a read stream of 4 lanes gives the words that memory holds, in C++ and RTL",
          "[vector]") {
  check<Vvector_read_stream_4, 4>(150);
}

TEST_CASE("a read stream of 16 lanes gives the words that memory holds, in C++ and RTL",
          "[vector]") {
  check<Vvector_read_stream_16, 16>(60);
}

TEST_CASE("a read stream gives a word for each beats of memory that it has", "[vector]") {
  for (const int format : {kernels::kStreamInt8, kernels::kStreamBf16, kernels::kStreamWord}) {
    ReadWorld<16> world(kSeed, {.latency = 20}, false);
    world.add({.address = kernels::Address::from(BusMemory<16>::kBase),
               .row_stride = hls::UInt32(0),
               .rows = hls::UInt16(2),
               .cols = hls::UInt16(4096),
               .format = hls::UInt<2>::from(static_cast<unsigned>(format)),
               .broadcasts = hls::UInt1(0),
               .command = hls::UInt16(0)});
    while (!world.is_done()) world.clock();
    INFO("format " << format);
    CHECK(world.wrong == 0);
    CHECK(world.words == 512);
    const std::uint64_t beats = 512U << format;
    CHECK(world.clocks == beats + 32);
  }
}

TEST_CASE("a read stream reports the address that no window holds, and the command", "[vector]") {
  ReadWorld<4> world(kSeed, {}, false);
  world.windows[0].end = kernels::Address::from(BusMemory<4>::kBase + 0x100);
  world.add({.address = kernels::Address::from(BusMemory<4>::kBase + 0x3f),
             .row_stride = hls::UInt32(0),
             .rows = hls::UInt16(1),
             .cols = hls::UInt16(200),
             .format = hls::UInt<2>(kernels::kStreamInt8),
             .broadcasts = hls::UInt1(0),
             .command = hls::UInt16(77)});
  for (int i = 0; i < 200; ++i) world.clock();
  CHECK(world.faults == 1);
  CHECK(world.fault.code.value() == kernels::kFaultReadWindow);
  CHECK(world.fault.command.value() == 77);
  CHECK(world.fault.address.value() == BusMemory<4>::kBase + 0x100);
}

}  // namespace
}  // namespace systole::tests
