// The type layer's registers: Pipeline and Ram, clock by clock.

#include <catch2/catch.hpp>
#include <deque>

#include "systole/hls/pipeline.h"
#include "systole/hls/ram.h"
#include "systole/hls/vec.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr std::uint64_t kSeed = 0x5eed'0015;

constexpr UInt<9> add(const UInt8& a, const UInt8& b) { return a + b; }

template <int kStages>
void check_latency() {
  Pipeline<&add, kStages> pipeline;
  Random random(kSeed);
  std::deque<std::uint64_t> in_flight;
  for (int clock = 0; clock < 50; ++clock) {
    const auto a = UInt8::from(random.bits());
    const auto b = UInt8::from(random.bits());
    if (clock >= kStages) {
      CHECK(pipeline.output().value() == in_flight.front());
      in_flight.pop_front();
    }
    pipeline.clock(a, b);
    in_flight.push_back(a.value() + b.value());
  }
}

TEST_CASE("a pipeline's result leaves as many clocks after its arguments as it has stages",
          "[pipeline]") {
  check_latency<1>();
  check_latency<2>();
  check_latency<7>();
}

template <typename Memory>
void write(typename Memory::Inputs& in, unsigned address, const decltype(in.write_data)& data) {
  in.write_enable = UInt1(1);
  in.write_address = Memory::Address::from(address);
  in.write_data = data;
}

template <typename Memory>
void read(typename Memory::Inputs& in, unsigned address) {
  in.read_enable = UInt1(1);
  in.read_address = Memory::Address::from(address);
}

TEST_CASE("a ram returns a word one clock after its address, and holds it", "[ram]") {
  using Memory = Ram<UInt8, 4>;
  Memory memory;
  Memory::Inputs in[5];
  write<Memory>(in[0], 0, UInt8(10));
  write<Memory>(in[1], 3, UInt8(13));
  read<Memory>(in[2], 3);
  read<Memory>(in[3], 0);
  for (int clock = 0; clock < 3; ++clock) memory.clock(in[clock]);
  CHECK(memory.clock(in[3]).read_data.value() == 13);
  CHECK(memory.clock(in[4]).read_data.value() == 10);
  CHECK(memory.clock(in[4]).read_data.value() == 10);
}

TEST_CASE("a ram reads the old word of the address that is written at the same edge", "[ram]") {
  using Word = Vec<UInt8, 2>;
  using Memory = Ram<Word, 2>;
  Memory memory;
  Memory::Inputs in[4];
  write<Memory>(in[0], 1, Word{{UInt8(1), UInt8(2)}});
  write<Memory>(in[1], 1, Word{{UInt8(3), UInt8(4)}});
  read<Memory>(in[1], 1);
  read<Memory>(in[2], 1);
  memory.clock(in[0]);
  memory.clock(in[1]);
  CHECK(memory.clock(in[2]).read_data[1].value() == 2);
  CHECK(memory.clock(in[3]).read_data[0].value() == 3);
}

}  // namespace
}  // namespace systole::tests
