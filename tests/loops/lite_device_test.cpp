// A function over arrays with its registers on AXI4-Lite, driven by the class that hlsc wrote.
// clang-format off
#include "tests/compiler/kernels/axi_kernels.h"
// clang-format on
#include <Vloops_axi_dot.h>

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>

#include "axi_dot_driver.h"
#include "loops_axi_dot_ports.h"
#include "sim/kernel/simulated_block.h"
#include "systole/cosim/leaves.h"
#include "systole/cosim/random.h"

namespace systole::tests {
namespace {

constexpr int kElements = 100;

using Array = AxiArray<Int<16>, kElements>;
using Block = sim::SimulatedBlock<Vloops_axi_dot>;

/// The device with two arrays of random elements in its memory.
struct Bench {
  explicit Bench(const sim::MemoryBehaviour& behaviour = {.latency = 7, .write_latency = 7})
      : block(kloops_axi_dotInputs, kloops_axi_dotOutputs, behaviour), driver(block) {
    cosim::Random random(11);
    for (Array* array : {&a, &b}) {
      const std::uint64_t address = block.memory().allocate(2 * kElements);
      auto elements = block.memory().elements<std::uint16_t>(address, kElements);
      for (int i = 0; i < kElements; ++i) {
        elements[static_cast<std::size_t>(i)] = random.bits16();
        cosim::set_bits(array->element[i], elements[static_cast<std::size_t>(i)]);
      }
      array == &a ? driver.set_a_address(address) : driver.set_b_address(address);
    }
  }

  /// Runs the device, polling its status.
  void run(int count, std::int64_t bias, bool negated) {
    driver.set_count(static_cast<std::uint32_t>(count));
    driver.set_bias(bias);
    driver.set_negated(negated);
    driver.start();
    while (!driver.done()) REQUIRE(block.clocks() < 100'000);
  }

  Array a, b;
  Block block;
  AxiDotDriver<Block> driver;
};

TEST_CASE("a driver runs a function in memory by its registers", "[lite_device]") {
  Bench bench;
  for (const int count : {0, 1, 3, 4, 37, 100}) {
    for (const std::int64_t bias :
         {std::int64_t{0}, std::int64_t{-5} << 38, std::int64_t{1} << 41}) {
      const bool negated = count % 2 != 0;
      bench.run(count, bias, negated);
      Int<44> dot;
      UInt<32> checksum;
      axi_dot(bench.a, bench.b, UInt<7>::from(count), Int<44>::from(bias), negated, dot, checksum);
      INFO("count " << count << ", bias " << bias);
      CHECK(bench.driver.dot() == static_cast<std::int64_t>(dot.value()));
      CHECK(bench.driver.checksum() == checksum.value());
      CHECK_FALSE(bench.driver.error());
    }
  }
  for (const sim::AxiPort& port : bench.block.axi()) CHECK(port.longest_burst() > 8);
}

TEST_CASE("a device's registers refuse what they do not have", "[lite_device]") {
  Bench bench;
  CHECK_THROWS_WITH(bench.block.read(0x0), "a read of register 0x0 is refused");
  CHECK_THROWS_WITH(bench.block.write(0x4, 0), "a write of register 0x4 is refused");
  CHECK_THROWS_WITH(bench.block.write(0x800, 0), "a write of register 0x800 is refused");
  CHECK_THROWS_WITH(bench.block.read(0x11), "a read of register 0x11 is refused");
  CHECK_THROWS_WITH(bench.block.write(0x0, 2), "a write of register 0x0 is refused");
  CHECK_THROWS_AS(bench.driver.set_count(128), std::invalid_argument);
  CHECK_THROWS_AS(bench.driver.set_bias(std::int64_t{1} << 43), std::invalid_argument);
  CHECK_THROWS_AS(bench.driver.set_bias(-(std::int64_t{1} << 43) - 1), std::invalid_argument);
}

TEST_CASE("a device refuses writes while it is busy, and takes them afterwards", "[lite_device]") {
  Bench bench({.latency = 200, .write_latency = 200});
  bench.driver.set_count(50);
  bench.driver.start();
  CHECK(bench.driver.busy());
  CHECK_FALSE(bench.driver.done());
  CHECK_THROWS_AS(bench.driver.set_count(3), std::runtime_error);
  CHECK_THROWS_AS(bench.driver.start(), std::runtime_error);
  while (!bench.driver.done()) REQUIRE(bench.block.clocks() < 100'000);
  CHECK_FALSE(bench.driver.busy());
  CHECK_NOTHROW(bench.driver.set_count(3));
}

TEST_CASE("an error of memory shows in the status until the next start", "[lite_device]") {
  Bench bench({.latency = 7, .write_latency = 7, .read_error_every = 2});
  bench.run(100, 0, false);
  CHECK(bench.driver.error());
  bench.run(1, 0, false);
  CHECK_FALSE(bench.driver.error());
}

}  // namespace
}  // namespace systole::tests
