// Products through the board backend on the board's C++: the link, the accelerator, the SDRAM.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "hls/board/board_memory.h"
#include "host/board/board_backend.h"
#include "host/board/board_memory.h"
#include "host/board/board_registers.h"
#include "host/device/configurations.h"
#include "host/device/device.h"
#include "host/device/register_driver.h"
#include "sim/board/board_clock.h"
#include "sim/board/board_server.h"
#include "tests/board/fault_campaign.h"
#include "tests/host/product_case.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using Catch::Contains;

/// No byte is lost here, and a busy machine may simulate slowly.
constexpr LinkPatience kPatient{.silence = std::chrono::seconds(30), .attempts = 2};

/// `board`, and `patient:PORT`, which waits longer.
const bool kRegistered = [] {
  register_backend(board_backend_entry());
  DeviceInfo info;
  info.name = "patient";
  register_backend({.info = info,
                    .array_sizes = {},
                    .place = "PORT",
                    .make_at = [](const DeviceOptions& options, const std::string& path) {
                      return open_board(options, path, 3'000'000, kPatient);
                    }});
  return true;
}();

std::unique_ptr<sim::SimulatedBoard> native_board(sim::BoardPace pace = {}) {
  return std::make_unique<sim::SimulatedBoard>(sim::make_native_board(), sim::kBoardMhz, pace);
}

Product shape_of(std::int64_t rows, std::int64_t depth, std::int64_t cols,
                 DataType type = DataType::kBf16) {
  Product shape;
  shape.rows = rows;
  shape.depth = depth;
  shape.cols = cols;
  shape.type = type;
  return shape;
}

Device open_device(const sim::BoardServer& server, const DeviceOptions& options = {}) {
  return Device::open("patient:" + server.path(), options);
}

}  // namespace

TEST_CASE("products on the simulated board have the oracle's bits", "[board]") {
  sim::BoardServer server(native_board());
  const Device device = open_device(server);
  CHECK(device.info().array_size == 4);
  CHECK(device.info().clock_mhz == sim::kBoardMhz);
  std::uint64_t seed = 0;
  for (const DataType type : {DataType::kBf16, DataType::kInt8}) {
    for (const auto& [rows, depth, cols] :
         {std::tuple{1, 1, 1}, {3, 4, 5}, {9, 17, 7}, {20, 33, 18}}) {
      const ProductCase product = make_case(shape_of(rows, depth, cols, type), ++seed);
      INFO(product.text());
      REQUIRE(run_case(product, device) == reference_case(product, 4));
    }
  }
  server.check();
  CHECK(device.counters().products == 8);
}

TEST_CASE("memory keeps bytes at any address and of any number", "[board]") {
  sim::BoardServer server(native_board());
  auto link = std::make_shared<SerialLink>(server.path(), 3'000'000, kPatient);
  BoardMemory memory(link);
  Random random(5);
  const std::int64_t size = 3000;
  const std::uint64_t block = memory.allocate(size);
  std::vector<std::byte> expected(size);
  memory.write(block, expected);
  for (int i = 0; i < 12; ++i) {
    const std::uint32_t first = random.below(static_cast<std::uint32_t>(size));
    std::vector<std::byte> bytes(1 + random.below(i < 8 ? 9 : size - first) % (size - first));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits());
    memory.write(block + first, bytes);
    std::copy(bytes.begin(), bytes.end(), expected.begin() + first);
    std::vector<std::byte> part(bytes.size());
    memory.read(block + first, part);
    REQUIRE(part == bytes);
  }
  std::vector<std::byte> all(size);
  memory.read(block, all);
  CHECK(all == expected);
  CHECK_THROWS_WITH(memory.read(block + 1, all), Contains("outside every block"));
  CHECK_THROWS_WITH(memory.allocate(std::int64_t{32} << 20), Contains("cannot give"));
  server.check();
}

TEST_CASE("the link refuses what no register and no memory has", "[board]") {
  sim::BoardServer server(native_board());
  SerialLink link(server.path(), 3'000'000, kPatient);
  std::vector<std::uint32_t> word(1);
  CHECK_THROWS_WITH(link.read_registers(0xff0, word), Contains("the accelerator refuses it"));
  CHECK_THROWS_WITH(link.write_registers(0, word), Contains("the accelerator refuses it"));
  CHECK_THROWS_WITH(link.read_memory(32U << 20, word), Contains("the board has no such memory"));
  CHECK_THROWS_WITH(link.write_memory(0xfffffffc, word), Contains("the board has no such memory"));
  link.read_memory((32U << 20) - 4, word);
  server.check();
}

TEST_CASE("at the board's own baud rate, a fraction of its clock, the link holds", "[board]") {
  sim::BoardServer server(native_board({.clocks_per_bit = 40.0 / 3}));
  SerialLink link(server.path(), 3'000'000, kPatient);
  Random random(9);
  std::vector<std::uint32_t> words(700), read(700);
  for (std::uint32_t& word : words) word = random.bits32();
  link.write_memory(0x4000, words);
  link.read_memory(0x4000, read);
  CHECK(read == words);
  CHECK(link.retries() == 0);
  server.check();
}

TEST_CASE("a baud rate that does not hold is an error that names it", "[board]") {
  for (const double host : {8.0, 13.0, 40.0}) {
    INFO(host << " clocks a bit");
    sim::BoardServer server(native_board({.clocks_per_bit = 20, .host_clocks_per_bit = host}));
    CHECK_THROWS_WITH(
        SerialLink(server.path(), 3'000'000,
                   {.silence = std::chrono::milliseconds(100), .attempts = 2}),
        Contains("does not reply to the reading of its identity in 2 attempts at 3000000 baud"));
    server.check();
  }
}

TEST_CASE("with faults on the line, every product is right or is reported", "[board]") {
  const FaultTally tally = run_fault_campaign(1, 40, sim::make_native_board);
  CHECK(tally.wrong == 0);
  CHECK(tally.faults >= 40);
  CHECK(tally.products > 0);
}

TEST_CASE("the configuration ulx3s is this board", "[board]") {
  const Configuration* ulx3s = find_configuration("ulx3s");
  REQUIRE(ulx3s != nullptr);
  CHECK(ulx3s->options.array_size == board::kBusBytes);
  CHECK(ulx3s->options.clock_mhz == sim::kBoardMhz);
  CHECK(ulx3s->options.memory.latency_cycles == board::BoardMemory<sim::kBoardMhz>::kReadLatency);
}

TEST_CASE("opening a board needs a port, and one with the N that was asked for", "[board]") {
  CHECK_THROWS_WITH(Device::open("board"), Contains("needs a place, as in board:PORT[@BAUD]"));
  CHECK_THROWS_WITH(Device::open("board:"), Contains("needs a place"));
  CHECK_THROWS_WITH(Device::open("board:/dev/ttyUSB0@fast"), Contains("the baud rate after @"));
  CHECK_THROWS_WITH(Device::open("board:/dev/no-such-port"), Contains("plug the board in"));
  CHECK_THROWS_WITH(Device::open("bored:/dev/ttyUSB0"), Contains("board:PORT[@BAUD]"));
  sim::BoardServer server(native_board());
  CHECK_THROWS_WITH(Device::open("board:" + server.path(), {.array_size = 8}),
                    Contains("has a 4 x 4 array, not 8 x 8"));
  CHECK(open_device(server, {.array_size = 4}).info().array_size == 4);
}

TEST_CASE("after an unplugged board, the next one works", "[board]") {
  const ProductCase product = make_case(shape_of(5, 6, 7), 3);
  {
    sim::BoardServer server(native_board());
    const Device device = open_device(server);
    REQUIRE(run_case(product, device) == reference_case(product, 4));
    server.unplug();
    CHECK_THROWS_AS(run_case(product, device), DeviceError);
  }
  sim::BoardServer server(native_board());
  REQUIRE(run_case(product, open_device(server)) == reference_case(product, 4));
}

}  // namespace systole::tests
