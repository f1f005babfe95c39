// The host's statement of a program's time finds what the device's control does, in every counter.
#include "sim/timing/program_clocks.h"

#include <catch2/catch.hpp>
#include <utility>

#include "host/runtime/program_builder.h"
#include "sim/verify/verify_clocks.h"

namespace systole {
namespace {

using namespace verify;
using device::Count;

std::uint64_t of(const ProgramCounts& counts, Count which) {
  return counts[static_cast<std::size_t>(which)];
}

std::vector<device::CommandWord> small_program(int array_size) {
  const ProgramProduct product{
      .a = 0x1000, .b = 0x20000, .c = 0x40000, .rows = 50, .depth = 70, .cols = 33};
  return build_program({&product, 1}, {.array_size = array_size});
}

}  // namespace

TEST_CASE("random programs count the same in the host's integers and in the control kernels",
          "[program_clocks]") {
  const auto [size, cases] = GENERATE(std::pair(4, 300), std::pair(8, 200), std::pair(16, 100),
                                      std::pair(32, 40), std::pair(64, 20), std::pair(128, 10));
  ClocksCompared compared;
  for (int seed = 1; seed <= cases; ++seed) {
    INFO("array " << size << ", seed " << seed);
    const auto difference =
        check_clocks(make_case(static_cast<std::uint64_t>(seed), size), compared);
    CHECK(difference == std::nullopt);
  }
  CHECK(compared.programs > static_cast<std::uint64_t>(cases) * 3 / 4);
}

TEST_CASE("a slower memory costs clocks", "[program_clocks]") {
  const auto commands = small_program(8);
  const auto usual = program_clocks(8, {}, commands);
  const auto late = program_clocks(8, {.latency = 65}, commands);
  const auto narrow = program_clocks(8, {.bytes_per_cycle = 4}, commands);
  REQUIRE((usual && late && narrow));
  CHECK(of(*late, Count::kCycles) > of(*usual, Count::kCycles));
  CHECK(of(*narrow, Count::kCycles) > of(*usual, Count::kCycles));
  CHECK(of(*narrow, Count::kReadBeats) == of(*usual, Count::kReadBeats));
}

TEST_CASE("what the host's integers do not know is left to the device", "[program_clocks]") {
  const auto commands = small_program(8);
  CHECK(!program_clocks(8, {.stalls = {.read = 1}}, commands));
  CHECK(!program_clocks(8, {.mix_reads = true}, commands));
  CHECK(!program_clocks(8, {.read_error_every = 5}, commands));
  CHECK(!program_clocks(8, {.error_ranges = {{0x1000, 0x2000}}}, commands));

  const auto waits = encode(device::Fence{.wait_for_host = true});
  CHECK(!program_clocks(8, {}, {&waits, 1}));
  const auto underflow = encode(device::Matmul{}, {.wait = 1});
  CHECK(!program_clocks(8, {}, {&underflow, 1}));
  const std::vector<device::CommandWord> overflow(
      300, encode(device::Store{.address = 0x1000}, {.signal = 2}));
  CHECK(!program_clocks(8, {}, overflow));
}

}  // namespace systole
