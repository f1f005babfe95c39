// Whole products on the smallest accelerator's RTL in Icarus Verilog. Everything else in this tree
// simulates it in Verilator; the two share no code.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "host/compiler/schedule/program_builder.h"
#include "host/device/device_map.h"
#include "tests/support/random.h"
#include "tests/support/run_program.h"

namespace systole {
namespace {

constexpr int kArray = 4;
constexpr std::uint64_t kA = 0x1000, kB = 0x2000, kC = 0x4000, kRing = 0x8000;
constexpr std::size_t kMemoryBytes = 0x10000;
constexpr std::uint64_t kSeed = 38;

/// Small numbers, of which bf16 holds sixteenths exactly, as fp32 does sums of their products.
std::vector<int> random_numbers(tests::Random& random, std::int64_t count) {
  std::vector<int> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(random.between(-99, 99));
  return numbers;
}

void put_operand(std::vector<std::uint8_t>& memory, std::uint64_t address, DataType type,
                 const std::vector<int>& numbers) {
  for (const int number : numbers) {
    if (type == DataType::kInt8) {
      memory[address++] = static_cast<std::uint8_t>(number);
      continue;
    }
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number) / 16) >> 16;
    memory[address++] = static_cast<std::uint8_t>(bits);
    memory[address++] = static_cast<std::uint8_t>(bits >> 8);
  }
}

/// relu(A B) as the device stores it.
std::vector<std::uint32_t> expected_words(const Product& product, const std::vector<int>& a,
                                          const std::vector<int>& b) {
  std::vector<std::uint32_t> words;
  for (std::int64_t row = 0; row < product.rows; ++row) {
    for (std::int64_t col = 0; col < product.cols; ++col) {
      int sum = 0;
      for (std::int64_t i = 0; i < product.depth; ++i) {
        sum += a[static_cast<std::size_t>(row * product.depth + i)] *
               b[static_cast<std::size_t>(i * product.cols + col)];
      }
      sum = std::max(sum, 0);
      words.push_back(product.type == DataType::kInt8
                          ? static_cast<std::uint32_t>(sum)
                          : std::bit_cast<std::uint32_t>(static_cast<float>(sum) / 256));
    }
  }
  return words;
}

/// Memory as $readmemh reads it.
std::string in_hex(const std::vector<std::uint8_t>& memory) {
  std::string text;
  for (const std::uint8_t byte : memory) text += fmt::format("{:02x}\n", byte);
  return text;
}

/// What RegisterDriver writes to run a program.
std::string register_writes(std::size_t commands) {
  using device::Register;
  std::string text;
  const auto write = [&](Register which, std::uint64_t value, int offset = 0) {
    text += fmt::format("{:x} {:x}\n", static_cast<int>(which) + offset, value);
  };
  const auto open = [&](int window, std::uint64_t base, std::uint64_t end) {
    write(Register::kWindowBaseLow, base, window * device::kWindowStep);
    write(Register::kWindowBaseLow, end, window * device::kWindowStep + 8);
  };
  write(Register::kInterruptEnable, device::kDone | device::kFault);
  write(Register::kRingLog2, static_cast<std::uint64_t>(std::bit_width(commands - 1)));
  open(1, kA, kRing);
  write(Register::kWindowAccess, device::kReadable | (device::kReadable | device::kWritable) << 2);
  write(Register::kRingBaseLow, kRing);
  open(0, kRing, kRing + 16 * commands);
  write(Register::kRingTail, commands);
  return text;
}

void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::vector<std::uint32_t> words_of(const std::string& dump, std::uint64_t address,
                                    std::int64_t count) {
  std::vector<std::uint8_t> bytes;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("//")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      bytes.push_back(static_cast<std::uint8_t>(std::stoi(word, nullptr, 16)));
    }
  }
  REQUIRE(bytes.size() == kMemoryBytes);
  std::vector<std::uint32_t> result;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint8_t* at = bytes.data() + address + 4 * i;
    result.push_back(at[0] | at[1] << 8 | at[2] << 16 | static_cast<std::uint32_t>(at[3]) << 24);
  }
  return result;
}

}  // namespace

TEST_CASE("a whole product on the RTL has the oracle's bits in Icarus Verilog, too",
          "[second_simulator]") {
  const DataType type = GENERATE(DataType::kBf16, DataType::kInt8);
  const Product product{
      .a = kA, .b = kB, .c = kC, .rows = 5, .depth = 9, .cols = 7, .type = type, .relu = true};
  INFO(describe(product) << ", seed " << kSeed);
  tests::Random random(kSeed);
  const auto a = random_numbers(random, product.rows * product.depth);
  const auto b = random_numbers(random, product.depth * product.cols);
  std::vector<std::uint8_t> memory(kMemoryBytes);
  put_operand(memory, kA, type, a);
  put_operand(memory, kB, type, b);
  const auto commands = build_program({&product, 1}, {.array_size = kArray});
  std::memcpy(&memory[kRing], commands.data(), commands.size() * sizeof commands[0]);

  const tests::TemporaryFolder folder;
  write_text(folder.file("memory.hex"), in_hex(memory));
  write_text(folder.file("writes.hex"), register_writes(commands.size()));
  const auto run = tests::run_words(
      {SYSTOLE_VVP, SYSTOLE_BENCH, "+memory=" + folder.file("memory.hex"),
       "+writes=" + folder.file("writes.hex"), "+result=" + folder.file("result.hex")});
  INFO(run.output << run.errors);
  REQUIRE(run.exit_code == 0);
  REQUIRE(run.output.find("fault 0\n") != std::string::npos);

  const auto expected = expected_words(product, a, b);
  REQUIRE(std::ranges::any_of(expected, [](std::uint32_t word) { return word != 0; }));
  CHECK(words_of(tests::read_file(folder.file("result.hex")), kC, product.rows * product.cols) ==
        expected);
}

}  // namespace systole
