// The memory model against plain bytes: data comes back in the clocks that its behaviour defines,
// checked by the protocol monitor.
#include "sim/memory/axi_memory.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "sim/monitor/axi_monitor.h"
#include "tests/sim/bus_master.h"

namespace systole {
namespace {

using sim::AxiMemory;
using sim::MemoryBehaviour;
using tests::BusMaster;
using tests::Random;

/// Plays all bursts of the master and returns the clocks taken.
std::uint64_t play(BusMaster& master, AxiMemory& memory, int bus_bytes, unsigned ready = 256) {
  Random random(3);
  sim::AxiFromDevice from;
  sim::AxiToDevice to;
  sim::AxiMonitor monitor(bus_bytes);
  std::uint64_t clock = 0;
  for (; !master.done(); ++clock) {
    REQUIRE(clock < 200000);
    // Waiting payloads stay unchanged; ready signals may change freely.
    master.show(from, random, ready);
    monitor.check(from, to);
    master.tick(from, to);
    memory.tick(from, to);
  }
  monitor.finish();
  CHECK(memory.idle());
  return clock;
}

std::vector<std::uint8_t> random_bytes(Random& random, int count) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.bits());
  return bytes;
}

}  // namespace

TEST_CASE("the first beat of a read comes `latency` clocks after its request", "[axi_memory]") {
  for (const int latency : {1, 2, 64}) {
    INFO("latency " << latency);
    DeviceMemory bytes;
    const std::uint64_t base = bytes.allocate(4096);
    AxiMemory memory(bytes, 16, {.latency = latency});
    BusMaster master(16);
    master.read(base, 4, 1);
    play(master, memory, 16);
    CHECK(master.reads[0].first_beat_at - master.reads[0].asked_at ==
          static_cast<std::uint64_t>(latency));
  }
}

TEST_CASE("a write is answered `write_latency` clocks after its last beat", "[axi_memory]") {
  DeviceMemory bytes;
  const std::uint64_t base = bytes.allocate(4096);
  AxiMemory memory(bytes, 8, {.write_latency = 17});
  BusMaster master(8);
  master.write(base + 3, std::vector<std::uint8_t>(40, 7));
  play(master, memory, 8);
  CHECK(master.writes[0].answered_at - master.writes[0].last_beat_at == 17);
}

TEST_CASE("reads and writes stream a beat a clock once the latency is paid", "[axi_memory]") {
  DeviceMemory bytes;
  const std::uint64_t base = bytes.allocate(1 << 20);
  AxiMemory memory(bytes, 16);
  BusMaster master(16);
  for (int burst = 0; burst < 100; ++burst) {
    master.read(base + static_cast<std::uint64_t>(burst) * 256, 16, 1);
    master.write(base + 65536 + static_cast<std::uint64_t>(burst) * 256,
                 std::vector<std::uint8_t>(256, 1));
  }
  const std::uint64_t clocks = play(master, memory, 16);
  CHECK(clocks >= 1600 + 64);
  CHECK(clocks <= 1600 + 64 + 4);
}

TEST_CASE("fewer bytes a cycle throttle each direction", "[axi_memory]") {
  for (const int bytes_per_cycle : {1, 3, 5, 8}) {
    INFO("bytes per cycle " << bytes_per_cycle);
    DeviceMemory bytes;
    const std::uint64_t base = bytes.allocate(1 << 16);
    AxiMemory memory(bytes, 16, {.latency = 1, .bytes_per_cycle = bytes_per_cycle});
    BusMaster master(16);
    for (int burst = 0; burst < 60; ++burst) master.read(base, 16, 1);
    const auto clocks = static_cast<double>(play(master, memory, 16));
    CHECK(clocks == Approx(60 * 256.0 / bytes_per_cycle).epsilon(0.01));
  }
}

TEST_CASE("the number of outstanding bursts is bounded", "[axi_memory]") {
  DeviceMemory bytes;
  const std::uint64_t base = bytes.allocate(4096);
  AxiMemory memory(bytes, 16, {.latency = 100, .bursts = 2});
  BusMaster master(16);
  for (int burst = 0; burst < 8; ++burst) master.read(base, 1, 1);
  const std::uint64_t clocks = play(master, memory, 16);
  CHECK(clocks > 4 * 100);
  CHECK(clocks < 4 * 100 + 20);
}

TEST_CASE("random bursts read and write the same bytes as a plain memory", "[axi_memory]") {
  const int bus_bytes = GENERATE(4, 8, 16, 32, 64, 128);
  const bool stalls = GENERATE(false, true);
  constexpr std::uint64_t kSeed = 9;
  INFO("bus " << bus_bytes << ", stalls " << stalls << ", seed " << kSeed);
  Random random(kSeed);
  DeviceMemory bytes;
  constexpr int kSize = 16384;
  const std::uint64_t base = bytes.allocate(kSize);
  MemoryBehaviour behaviour{.latency = 5, .write_latency = 3, .mix_reads = stalls, .seed = kSeed};
  if (stalls) behaviour.stalls = {90, 90, 90, 90, 90};
  AxiMemory memory(bytes, bus_bytes, behaviour);
  std::vector<std::uint8_t> expected(kSize);

  for (int round = 0; round < 20; ++round) {
    BusMaster writer(bus_bytes);
    for (int i = 0; i < 12; ++i) {
      const auto offset = random.below(kSize);
      const std::uint64_t address = base + offset;
      const int page = 4096 - static_cast<int>(address % 4096);
      const int room = std::min({page, kSize - static_cast<int>(offset),
                                 16 * bus_bytes - static_cast<int>(address % bus_bytes)});
      const auto data = random_bytes(random, random.between(1, room));
      std::copy(data.begin(), data.end(), expected.begin() + offset);
      writer.write(address, data);
    }
    play(writer, memory, bus_bytes, stalls ? 150 : 256);
    BusMaster reader(bus_bytes);
    std::vector<std::uint32_t> offsets;
    for (int i = 0; i < 12; ++i) {
      const auto offset = random.below(kSize - 4096);
      const std::uint64_t aligned = (base + offset) & ~std::uint64_t(bus_bytes - 1);
      const int page = (4096 - static_cast<int>(aligned % 4096)) / bus_bytes;
      reader.read(base + offset, random.between(1, std::min(16, page)), random.between(0, 1));
      offsets.push_back(offset);
    }
    play(reader, memory, bus_bytes, stalls ? 150 : 256);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const BusMaster::Read& read = reader.reads[i];
      REQUIRE(read.errors == 0);
      REQUIRE(read.bytes.size() == static_cast<std::size_t>(read.beats * bus_bytes));
      const auto before = offsets[i] % static_cast<std::uint32_t>(bus_bytes);
      for (std::size_t k = before; k < read.bytes.size(); ++k) {
        REQUIRE(read.bytes[k] == expected[offsets[i] - before + k]);
      }
    }
  }
}

TEST_CASE("the same seed stalls in the same clocks, another in others", "[axi_memory]") {
  const auto clocks = [](std::uint64_t seed) {
    DeviceMemory bytes;
    const std::uint64_t base = bytes.allocate(4096);
    AxiMemory memory(bytes, 16, {.stalls = {80, 80, 80, 80, 80}, .seed = seed});
    BusMaster master(16);
    for (int burst = 0; burst < 50; ++burst) master.read(base, 16, 1);
    return play(master, memory, 16);
  };
  CHECK(clocks(1) == clocks(1));
  CHECK(clocks(1) != clocks(2));
  CHECK(clocks(1) > 50 * 16 * 256 / (256 - 80) * 9 / 10);
}

TEST_CASE("an access outside every block answers with an error and writes nothing",
          "[axi_memory]") {
  DeviceMemory bytes;
  const std::uint64_t base = bytes.allocate(64);
  AxiMemory memory(bytes, 16);
  BusMaster master(16);
  master.read(base, 4, 1);
  master.read(base + 64, 1, 1);
  master.read(base, 5, 1);  // its last beat is outside
  master.read((std::uint64_t{1} << 40) - 16, 1, 0);
  master.write(base, std::vector<std::uint8_t>(80, 9));  // the same
  master.write(base + 4000, std::vector<std::uint8_t>(4, 9));
  master.write(base + 60, std::vector<std::uint8_t>(4, 8));
  play(master, memory, 16);
  CHECK(master.reads[0].errors == 0);
  CHECK(master.reads[1].errors == 1);
  CHECK(master.reads[2].errors == 1);
  CHECK(master.reads[3].errors == 1);
  CHECK(master.writes[0].error);
  CHECK(master.writes[1].error);
  CHECK_FALSE(master.writes[2].error);
  const auto inside = bytes.elements<std::uint8_t>(base, 64);
  CHECK(inside[59] == 9);
  CHECK(inside[60] == 8);
}

TEST_CASE("a burst may run from one block into the next", "[axi_memory]") {
  DeviceMemory bytes;
  const std::uint64_t first = bytes.allocate(64);
  const std::uint64_t second = bytes.allocate(64);
  REQUIRE(second == first + 64);
  for (const int bus_bytes : {16, 128}) {
    AxiMemory memory(bytes, bus_bytes);
    BusMaster master(bus_bytes);
    const std::vector<std::uint8_t> data{1, 2, 3, 4, 5, 6, 7, 8};
    master.write(first + 60, data);
    play(master, memory, bus_bytes);
    CHECK_FALSE(master.writes[0].error);
    BusMaster reader(bus_bytes);
    reader.read(first + 60, bus_bytes == 128 ? 1 : 2, 0);
    play(reader, memory, bus_bytes);
    CHECK(reader.reads[0].errors == 0);
    const std::size_t at = (first + 60) % static_cast<std::uint64_t>(bus_bytes);
    for (std::size_t i = 0; i < 8; ++i) CHECK(reader.reads[0].bytes[at + i] == data[i]);
  }
}

TEST_CASE("memory answers any one beat of a burst with an error", "[axi_memory]") {
  DeviceMemory bytes;
  const std::uint64_t base = bytes.allocate(4096);
  for (std::uint64_t beat = 0; beat < 4; ++beat) {
    AxiMemory memory(
        bytes, 4,
        {.error_ranges = {{.base = base, .end = base + 64, .every = 16, .at = 4 * beat + 3}}});
    BusMaster master(4);
    for (std::uint64_t i = 0; i < 5; ++i) master.read(base + 16 * i, 4, 1);
    master.read(base + 4 * beat + 4, 3, 1);
    play(master, memory, 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(master.reads[i].errors == 1);
    CHECK(master.reads[4].errors == 0);  // beyond the range's end
    CHECK(master.reads[5].errors == 0);  // between two bytes that fail
  }
}

TEST_CASE("errors come from chosen ranges and from every n-th burst", "[axi_memory]") {
  DeviceMemory bytes;
  const std::uint64_t base = bytes.allocate(4096);
  AxiMemory memory(bytes, 16,
                   {.error_ranges = {{.base = base + 32, .end = base + 33, .writes = false},
                                     {.base = base + 256, .end = base + 512, .reads = false}},
                    .read_error_every = 5,
                    .write_error_every = 3});
  BusMaster master(16);
  for (int i = 0; i < 5; ++i) master.read(base, 4, 1);
  master.write(base + 32, {1});
  master.write(base + 300, {1});
  master.write(base + 34, {1});
  play(master, memory, 16);
  CHECK(master.reads[0].errors == 1);  // the beat from 32 on
  CHECK(master.reads[4].errors == 4);
  CHECK_FALSE(master.writes[0].error);
  CHECK(master.writes[1].error);
  CHECK(master.writes[2].error);
  const auto left = bytes.elements<std::uint8_t>(base, 4096);
  CHECK(left[32] == 1);
  CHECK(left[300] == 0);
  CHECK(left[34] == 0);
}

TEST_CASE("impossible behaviour is refused with the reason", "[axi_memory]") {
  DeviceMemory bytes;
  CHECK_THROWS_WITH(AxiMemory(bytes, 12), Catch::Contains("power of two"));
  CHECK_THROWS_WITH(AxiMemory(bytes, 16, {.latency = 0}), Catch::Contains("latency"));
  CHECK_THROWS_WITH(AxiMemory(bytes, 16, {.bursts = 257}), Catch::Contains("1 to 256"));
}

}  // namespace systole
