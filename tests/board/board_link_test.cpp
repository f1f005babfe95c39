// The host's end of the link against a board that is docs/board.md in plain C++.
#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <numeric>
#include <string>
#include <vector>

#include "host/board/board_registers.h"
#include "host/board/serial_link.h"
#include "host/device/device.h"
#include "tests/board/fake_board.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using Catch::Contains;
using std::chrono::milliseconds;

constexpr LinkPatience kShort{.silence = milliseconds(200), .attempts = 3};
constexpr LinkPatience kStubborn{.silence = milliseconds(20), .attempts = 40};

std::vector<std::uint32_t> random_words(Random& random, std::size_t count) {
  std::vector<std::uint32_t> words(count);
  for (std::uint32_t& word : words) word = random.bits32();
  return words;
}

}  // namespace

TEST_CASE("the link reads who the board is", "[board]") {
  FakeBoard board({.array_size = 8});
  const SerialLink link(board.path(), 3'000'000, kShort);
  CHECK(link.identity().array_size == 8);
  CHECK(link.identity().memory_bytes == 4 * FakeBoard::kMemoryWords);
  CHECK(link.identity().clock_khz == 40'000);
}

TEST_CASE("memory reads back as written, in blocks of any size", "[board]") {
  FakeBoard board;
  SerialLink link(board.path(), 3'000'000, kShort);
  Random random(1);
  for (const std::size_t count : {1, 2, 3, 255, 1023, 1024, 1025, 2049, 5000}) {
    const auto words = random_words(random, count);
    link.write_memory(0x100, words);
    CHECK(board.memory[0x40] == words.front());
    CHECK(board.memory[0x40 + count - 1] == words.back());
    std::vector<std::uint32_t> read(count);
    link.read_memory(0x100, read);
    REQUIRE(read == words);
  }
}

TEST_CASE("registers are read and written one by one and side by side", "[board]") {
  FakeBoard board;
  for (std::uint32_t i = 0; i < 8; ++i) board.registers[4 * i] = 100 + i;
  SerialLink link(board.path(), 3'000'000, kShort);
  std::vector<std::uint32_t> values(8);
  link.read_registers(0, values);
  for (std::uint32_t i = 0; i < 8; ++i) CHECK(values[i] == 100 + i);
  const std::vector<std::uint32_t> written{7, 8, 9};
  link.write_registers(8, written);
  CHECK(board.registers[8] == 7);
  CHECK(board.registers[16] == 9);
  CHECK(board.registers[20] == 105);
}

TEST_CASE("what the board refuses is an error that says so, and the link goes on", "[board]") {
  FakeBoard board;
  SerialLink link(board.path(), 3'000'000, kShort);
  std::vector<std::uint32_t> word(1);
  CHECK_THROWS_WITH(link.read_registers(0x800, word), Contains("the accelerator refuses it"));
  CHECK_THROWS_WITH(link.write_memory(4 * FakeBoard::kMemoryWords, word),
                    Contains("the board has no such memory"));
  link.write_memory(0, word);
}

TEST_CASE("with faults on the line, every request is done once and every word is right",
          "[board]") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    INFO("seed " << seed);
    FakeBoard board({.fault_every = 400, .seed = seed});
    SerialLink link(board.path(), 3'000'000, kStubborn);
    Random random(seed);
    for (int i = 0; i < 20; ++i) {
      const auto words = random_words(random, 1 + random.below(60));
      const std::uint32_t address = 4 * random.below(1000);
      link.write_memory(address, words);
      REQUIRE(board.writes_done == static_cast<std::uint64_t>(i + 1));
      std::vector<std::uint32_t> read(words.size());
      link.read_memory(address, read);
      REQUIRE(read == words);
    }
    board.unplug();
    CHECK(board.faults() > 0);
    CHECK(link.retries() > 0);
  }
}

TEST_CASE("a port without a board, and one that is none, are errors with advice", "[board]") {
  CHECK_THROWS_WITH(SerialLink("/dev/no-such-port", 3'000'000, kShort),
                    Contains("No such file") && Contains("plug the board in"));
  CHECK_THROWS_WITH(SerialLink("/dev/null", 3'000'000, kShort), Contains("is no serial line"));
  FakeBoard mute({.mute = true});
  CHECK_THROWS_WITH(SerialLink(mute.path(), 3'000'000, kShort),
                    Contains("nothing comes") && Contains("bitstream"));
}

TEST_CASE("noise instead of replies is an error that names the baud rate", "[board]") {
  FakeBoard board({.babbles = true});
  CHECK_THROWS_WITH(SerialLink(board.path(), 3'000'000, kShort),
                    Contains("at 3000000 baud") && Contains("120 bytes came that are no reply"));
}

TEST_CASE("another bitstream is an error that says which", "[board]") {
  FakeBoard other({.magic = 1});
  CHECK_THROWS_WITH(SerialLink(other.path(), 3'000'000, kShort), Contains("is no Systole board"));
  FakeBoard older({.version = 77});
  CHECK_THROWS_WITH(SerialLink(older.path(), 3'000'000, kShort),
                    Contains("version 77 of the link, this program knows version 1"));
}

TEST_CASE("a port is one program's at a time", "[board]") {
  FakeBoard board;
  {
    const SerialLink first(board.path(), 3'000'000, kShort);
    CHECK_THROWS_WITH(SerialLink(board.path(), 3'000'000, kShort), Contains("is in use"));
  }
  const SerialLink next(board.path(), 3'000'000, kShort);
}

TEST_CASE("an unplugged board is an error, at once", "[board]") {
  FakeBoard board;
  SerialLink link(board.path(), 3'000'000, kShort);
  board.unplug();
  std::vector<std::uint32_t> word(1);
  CHECK_THROWS_WITH(link.read_memory(0, word), Contains("has gone") && Contains("plug it in"));
}

TEST_CASE("a program that follows one that was killed in a request gets its own replies",
          "[board]") {
  FakeBoard board;
  const std::vector<std::uint32_t> words{1, 2, 3};
  {
    SerialLink link(board.path(), 3'000'000, kShort);
    link.write_memory(0, words);
  }
  {
    SerialPort port(board.path(), 3'000'000);
    const std::vector<std::uint8_t> half{0xa5, 2, 5, 3, 0, 0, 0};
    port.write(half, milliseconds(100));
  }
  SerialLink link(board.path(), 3'000'000, kShort);
  std::vector<std::uint32_t> read(3);
  link.read_memory(0, read);
  CHECK(read == words);
}

TEST_CASE("an accelerator that does no work and raises no interrupt hangs", "[board]") {
  FakeBoard board;
  for (std::uint32_t address = 0; address < 0x200; address += 4) board.registers[address] = 0;
  auto link = std::make_shared<SerialLink>(board.path(), 3'000'000, kShort);
  BoardRegisters registers(link, milliseconds(30));
  CHECK_THROWS_WITH(registers.wait_for_interrupt(), Contains("hangs"));
  board.registers[static_cast<std::uint32_t>(device::Register::kInterruptEnable)] = 1;
  board.registers[static_cast<std::uint32_t>(device::Register::kInterruptStatus)] = 1;
  registers.wait_for_interrupt();
}

}  // namespace systole::tests
