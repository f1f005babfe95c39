// The vector engine's write stream: its RTL against its C++, all ports, every edge; and both
// against what memory must hold.

#include <Vvector_write_stream_16.h>
#include <Vvector_write_stream_4.h>

#include <catch2/catch.hpp>

#include "tests/rtl/vector/check_streams.h"
#include "tests/rtl/vector/stream_tops.h"
#include "tests/rtl/vector/write_stream_world.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0342;

template <typename Model, int kN>
void check(int episodes) {
  const auto at_end = [](const WriteWorld<kN>& world, bool is_cut) {
    if (!world.stop) CHECK((is_cut || world.is_all_written()));
    CHECK(world.strays() == 0);
  };
  check_random_streams<VectorWriteStreamTop<Model, kN>, WriteWorld, kN>(
      {.seed = kSeed, .formats = 4, .errors = 40}, episodes, at_end);
}

TEST_CASE("a write stream of 4 lanes leaves in memory what its words say, in C++ and RTL",
          "[vector]") {
  check<Vvector_write_stream_4, 4>(150);
}

TEST_CASE("a write stream of 16 lanes leaves in memory what its words say, in C++ and RTL",
          "[vector]") {
  check<Vvector_write_stream_16, 16>(60);
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
