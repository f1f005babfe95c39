// Programs of the vector engine, one command at a time.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "sim/device/program_interpreter.h"
#include "sim/device/vector_interpreter.h"
#include "tests/sim/flat_memory.h"
#include "tests/support/random.h"
#include "tests/vector/training_programs.h"

namespace systole {
namespace {

using device::CommandWord;
using device::encode;
using device::FaultCode;
using device::VectorProgram;
using device::VectorRun;
using device::VectorStream;
using tests::FlatMemory;
using tests::Random;
using Format = device::VectorStreamFormat;

constexpr std::uint64_t kBase = 0x1000, kSize = 1 << 16;
constexpr std::uint64_t kCode = 0x1000, kConstants = 0x1800;
constexpr std::uint64_t kIn = 0x2003, kIn1 = 0x4001, kOut = 0x6005;
constexpr int kN = 4;

struct Bench {
  FlatMemory memory{kBase, kSize};
  ProgramInterpreter interpreter{kN, memory};
  std::vector<CommandWord> commands;

  Bench() { open(kBase + kSize); }

  void open(std::uint64_t end) {
    const ProgramWindow window{kBase, end, true, true};
    interpreter.set_windows({&window, 1});
  }
  /// Commands that load a program, from memory where this puts it.
  void load(const vector::Program& program, std::uint8_t place = 0) {
    std::vector<std::uint64_t> code;
    for (const vector::Instruction& line : program.code) code.push_back(line.encode());
    memory.put(kCode, code);
    commands.push_back(encode(VectorProgram{
        .address = kCode, .place = place, .count = static_cast<std::uint8_t>(code.size())}));
    if (program.constants.empty()) return;
    memory.put(kConstants, program.constants);
    commands.push_back(
        encode(VectorProgram{.address = kConstants,
                             .constants = true,
                             .count = static_cast<std::uint8_t>(program.constants.size())}));
  }
  template <typename Command>
  void add(const Command& command) {
    commands.push_back(encode(command));
  }
  ProgramFault run() { return interpreter.run(commands); }
};

/// out 0 = in 0 + in 1, as integers.
vector::Program sum_of_integers() {
  vector::Assembler program;
  const auto a = program.read(0);
  program.send(0, program.integer_add(a, program.take(1)));
  return program.finish();
}

VectorStream output(Format format, std::uint16_t rows, std::uint16_t cols, std::uint32_t stride) {
  return {.address = kOut,
          .row_stride = stride,
          .rows = rows,
          .cols = cols,
          .writes = true,
          .format = format};
}

}  // namespace

TEST_CASE("vector runs take and send ragged rows of bytes", "[vector_commands]") {
  constexpr int kRows = 5, kCols = 7, kStride = 9;
  Random random(1);
  std::vector<std::int8_t> a(kRows * kStride), b(kRows * kStride), out(kRows * kStride, 99);
  for (auto* values : {&a, &b}) {
    for (std::int8_t& value : *values) value = static_cast<std::int8_t>(random.below(256));
  }
  Bench bench;
  bench.memory.put(kIn, a);
  bench.memory.put(kIn1, b);
  bench.memory.put(kOut, out);
  bench.load(sum_of_integers());
  bench.add(VectorStream{.address = kIn, .row_stride = kStride, .rows = kRows, .cols = kCols});
  bench.add(VectorStream{
      .address = kIn1, .row_stride = kStride, .rows = kRows, .cols = kCols, .number = 1});
  bench.add(output(Format::kInt8, kRows, kCols, kStride));
  bench.add(VectorRun{.last = 1, .words = 2 * kRows});
  REQUIRE(bench.run() == ProgramFault{});
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < kCols; ++col) {
      const auto i = static_cast<std::size_t>(row * kStride + col);
      out[i] = static_cast<std::int8_t>(std::clamp(a[i] + b[i], -128, 127));
    }
  }
  CHECK(bench.memory.get<std::int8_t>(kOut, out.size()) == out);
}

TEST_CASE("vector streams convert bf16, repeat rows and broadcast elements", "[vector_commands]") {
  Bench bench;
  // Two rows of one element each, and a row that is read twice.
  bench.memory.put(kIn, std::vector<float>{0.5F, -2.0F});
  bench.memory.put(kIn1, std::vector<std::uint16_t>{0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0});
  vector::Assembler program;
  const auto a = program.read(0);
  program.send(2, program.multiply(a, program.take(1)));
  bench.load(program.finish());
  bench.add(VectorStream{.address = kIn,
                         .row_stride = 4,
                         .rows = 2,
                         .cols = 5,
                         .format = Format::kWord,
                         .broadcasts = true});
  bench.add(VectorStream{.address = kIn1,
                         .row_stride = 0,
                         .rows = 2,
                         .cols = 5,
                         .number = 1,
                         .format = Format::kBf16});
  VectorStream out = output(Format::kBf16, 2, 5, 10);
  out.number = 2;
  bench.add(out);
  bench.add(VectorRun{.last = 1, .words = 4});
  REQUIRE(bench.run() == ProgramFault{});
  CHECK(bench.memory.get<std::uint16_t>(kOut, 10) ==
        std::vector<std::uint16_t>{0x3f00, 0x3f80, 0x3fc0, 0x4000, 0x4020,  //
                                   0xc000, 0xc080, 0xc0c0, 0xc100, 0xc120});
}

TEST_CASE("a vector run waits for its words, and words for their output", "[vector_commands]") {
  Bench bench;
  const std::vector<std::uint32_t> a{1, 2, 3, 4, 5, 6, 7, 8}, b{10, 20, 30, 40, 50, 60, 70, 80};
  bench.memory.put(kIn, a);
  bench.memory.put(kIn1, b);
  bench.load(sum_of_integers(), 20);
  // One run of two words, fed by two streams of one and drained by two of one.
  bench.add(VectorRun{.first = 20, .last = 21, .words = 2});
  for (std::uint64_t half : {0, 16}) {
    VectorStream in{.address = kIn + half, .rows = 1, .cols = 4, .format = Format::kWord};
    bench.add(in);
    in.address = kIn1 + half;
    in.number = 1;
    bench.add(in);
  }
  VectorStream out = output(Format::kWord, 1, 4, 0);
  bench.add(out);
  out.address += 32;
  out.format = Format::kHalf;
  bench.add(out);
  REQUIRE(bench.run() == ProgramFault{});
  CHECK(bench.memory.get<std::uint32_t>(kOut, 4) == std::vector<std::uint32_t>{11, 22, 33, 44});
  CHECK(bench.memory.get<std::uint16_t>(kOut + 32, 4) ==
        std::vector<std::uint16_t>{55, 66, 77, 88});
}

TEST_CASE("a vector run's elements have their places in the tensor", "[vector_commands]") {
  Bench bench;
  vector::Assembler program;
  program.send(0, program.bits_or(vector::Assembler::kElement, vector::Assembler::kZero));
  program.send(1, program.bits_or(vector::Assembler::kColumn, vector::Assembler::kZero));
  bench.load(program.finish());
  VectorStream out = output(Format::kWord, 1, 12, 0);
  bench.add(out);
  out.address += 100;
  out.number = 1;
  bench.add(out);
  bench.add(VectorRun{.last = 1, .words = 3, .first_word = 5, .words_a_row = 2});
  REQUIRE(bench.run() == ProgramFault{});
  CHECK(bench.memory.get<std::uint32_t>(kOut, 12) ==
        std::vector<std::uint32_t>{20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31});
  CHECK(bench.memory.get<std::uint32_t>(kOut + 100, 12) ==
        std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3});
}

TEST_CASE("Adam in place has the vector interpreter's bits", "[vector_commands]") {
  constexpr std::uint16_t kCount = 150;
  const vector::Program program = vector::adam({0.01F, 0.1F, 0.001F, 1e-7F});
  Random random(3);
  Bench bench;
  bench.load(program);
  vector::Interpreter::Streams expected;
  std::array<std::vector<std::uint32_t>, 4> tensors;
  for (std::uint8_t i = 0; i < 4; ++i) {
    tensors[i].resize(kCount + 2);
    for (std::size_t n = 0; n < kCount; ++n) {
      tensors[i][n] = std::bit_cast<std::uint32_t>(static_cast<float>(1 + random.below(1000)));
    }
    expected.in[i] = tensors[i];
    const std::uint64_t address = kIn + i * 0x1000U;
    bench.memory.put(address, tensors[i]);
    const VectorStream stream{
        .address = address, .rows = 1, .cols = kCount, .number = i, .format = Format::kWord};
    bench.add(stream);
    VectorStream out = stream;  // m, v and w in place, and a bf16 copy over the gradient
    out.writes = true;
    out.number = static_cast<std::uint8_t>((i + 3) % 4);
    if (i == 0) out.format = Format::kHalf;
    bench.add(out);
  }
  const auto words = static_cast<std::uint16_t>((kCount + kN - 1) / kN);
  bench.add(VectorRun{.last = static_cast<std::uint8_t>(program.code.size() - 1), .words = words});
  REQUIRE(bench.run() == ProgramFault{});
  vector::Interpreter(kN).run(program, {.words = words}, expected);
  for (unsigned i = 1; i < 4; ++i) {
    expected.out[i - 1].resize(kCount);
    CHECK(bench.memory.get<std::uint32_t>(kIn + i * 0x1000U, kCount) == expected.out[i - 1]);
  }
  const auto halves = bench.memory.get<std::uint16_t>(kIn, kCount);
  for (std::size_t n = 0; n < kCount; ++n) REQUIRE(halves[n] == (expected.out[3][n] & 0xffff));
}

TEST_CASE("vector commands report illegal instructions and missing programs", "[vector_commands]") {
  Bench bench;
  vector::Program program = sum_of_integers();
  program.code.push_back({.exchange = 3});  // there are four lanes
  bench.load(program, 7);
  CHECK(bench.run() == ProgramFault{FaultCode::kIllegalCommand, 0, kCode + 16});

  bench.interpreter.reset();
  bench.commands = {encode(VectorProgram{.address = kCode, .place = 7, .count = 2}),
                    encode(VectorRun{.first = 7, .last = 9})};
  CHECK(bench.run() == ProgramFault{FaultCode::kIllegalCommand, 1, 0});
  bench.interpreter.reset();
  bench.commands = {encode(VectorRun{.first = 7, .last = 8})};
  CHECK(bench.run() == ProgramFault{FaultCode::kIllegalCommand, 0, 0});
}

TEST_CASE("vector commands with fields that do not go together are illegal", "[vector_commands]") {
  const auto is_legal = [](const auto& command, device::Tokens tokens = {}) {
    return device::is_legal(encode(command, tokens), kN);
  };
  CHECK(is_legal(VectorProgram{.place = 60, .count = 4}));
  CHECK_FALSE(is_legal(VectorProgram{.place = 60, .count = 5}));
  CHECK_FALSE(is_legal(VectorProgram{.place = 28, .constants = true, .count = 5}));
  CHECK_FALSE(is_legal(VectorProgram{.count = 0}));
  CHECK_FALSE(is_legal(VectorProgram{}, {.signal = device::kLoadEngine}));
  CHECK(is_legal(VectorStream{.writes = true, .format = Format::kHalf}, {.signal = 7}));
  CHECK_FALSE(is_legal(VectorStream{.writes = true}, {.signal = device::kVectorEngine}));
  CHECK_FALSE(is_legal(VectorStream{.format = Format::kHalf}));
  CHECK_FALSE(is_legal(VectorStream{}, {.signal = device::kStoreEngine}));
  CHECK_FALSE(is_legal(VectorStream{.writes = true, .broadcasts = true}));
  CHECK(is_legal(VectorStream{}, {.wait = 15}));
  CHECK(is_legal(VectorRun{.first = 3, .last = 3}, {.wait = 15}));
  CHECK_FALSE(is_legal(VectorRun{.first = 4, .last = 3}));
  CHECK_FALSE(is_legal(VectorRun{.words = 0}));
  CHECK_FALSE(is_legal(device::Store{}, {.wait = device::kStoreEngine}));
  CHECK(
      is_legal(device::Store{}, {.wait = device::kVectorEngine, .signal = device::kVectorEngine}));
}

TEST_CASE("vector streams report the bursts that no window or memory has", "[vector_commands]") {
  Bench bench;
  bench.load(sum_of_integers());
  const VectorStream in{.address = kIn, .rows = 1, .cols = 40, .format = Format::kWord};
  VectorStream in1 = in, out = output(Format::kWord, 1, 40, 0);
  in1.number = 1;
  bench.add(in);
  bench.add(in1);
  bench.add(VectorRun{.last = 1, .words = 10});
  SECTION("an input") {
    bench.open(kIn + 100);
    CHECK(bench.run() == ProgramFault{FaultCode::kReadWindow, 1, 0x2040});
  }
  SECTION("memory's error in an input, with its row's address") {
    bench.memory.bad_address = kIn + 100;
    CHECK(bench.run() == ProgramFault{FaultCode::kReadError, 1, kIn});
  }
  SECTION("an output, with its stream's number and its word's address") {
    bench.add(out);
    bench.open(kOut + 33);
    CHECK(bench.run() == ProgramFault{FaultCode::kWriteWindow, 4, kOut + 32});
  }
  SECTION("memory's error in an output") {
    bench.add(out);
    bench.memory.bad_address = kOut + 17;
    CHECK(bench.run() == ProgramFault{FaultCode::kWriteError, 4, kOut + 16});
  }
}

TEST_CASE("a vector stream of more words than the interpreter takes is refused",
          "[vector_commands]") {
  Bench bench;
  bench.add(VectorStream{.address = kIn, .rows = 65535, .cols = 65535});
  CHECK_THROWS_AS(bench.run(), std::length_error);
}

}  // namespace systole
