// Kernels computed whole against their commands one by one, and blocks of groups against groups.
#include "sim/model/kernel_runner.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

#include "host/device/element_size.h"
#include "sim/device/program_interpreter.h"
#include "tests/sim/flat_memory.h"
#include "tests/support/random.h"

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
using vector::Instruction;

constexpr std::uint64_t kBase = 0x1000;
constexpr std::size_t kSize = 4 << 20;

/// Legal instructions. `plain` programs read no register that they have not written, and have one
/// instruction a stream, so that groups are independent.
std::vector<Instruction> random_code(Random& random, int lanes, bool plain) {
  std::vector<Instruction> code;
  std::uint32_t written = 0;
  unsigned taken = 0, sent = 0;
  const std::size_t count = 3 + random.below(12);
  while (code.size() < count) {
    Instruction one = Instruction::decode(random.bits());
    one.operation = static_cast<vector::VectorOperation>(random.below(kernels::kVectorOperations));
    one.mode = static_cast<std::uint8_t>(random.below(2));
    one.out = static_cast<std::uint8_t>(random.below(5));
    if (random.below(3) != 0) one.exchange = 0;
    if (random.below(3) != 0) one.a = kernels::kSourceStream;
    if (random.below(4) == 0) {  // only keeps a word
      one = {.operation = vector::VectorOperation::kOr,
             .a = kernels::kSourceStream,
             .target = one.target,
             .writes = true,
             .in = one.in};
    }
    if (!vector::is_legal(one.encode(), lanes)) continue;
    if (plain) {
      const std::uint8_t places[] = {one.a, one.b, one.c};
      if (std::ranges::any_of(places, [&](std::uint8_t place) {
            return place < kernels::kVectorRegisters && (written >> place & 1) == 0;
          })) {
        continue;
      }
      if (vector::takes_word(one) && (taken >> one.in & 1) != 0) continue;
      if (one.out != 0 && (sent >> one.out & 1) != 0) continue;
    }
    if (vector::takes_word(one)) taken |= 1U << one.in;
    if (one.out != 0) sent |= 1U << one.out;
    if (one.writes) written |= 1U << one.target;
    code.push_back(one);
  }
  return code;
}

/// A kernel of one program and some runs over random tensors, each with memory of its own.
class RandomKernel {
 public:
  RandomKernel(Random& random, int lanes, FlatMemory& memory) : random_(random), lanes_(lanes) {
    std::vector<std::byte> all(kSize);
    for (std::byte& byte : all) byte = static_cast<std::byte>(random.below(256));
    memory.put(kBase, all);
    const auto code = random_code(random, lanes, random.below(2) == 0);
    std::vector<std::uint64_t> words;
    for (const Instruction& one : code) words.push_back(one.encode());
    memory.put(next_, words);
    commands.push_back(
        encode(VectorProgram{.address = next_, .count = static_cast<std::uint8_t>(code.size())}));
    next_ += 0x400;
    commands.push_back(encode(
        VectorProgram{.address = next_, .constants = true, .count = kernels::kVectorConstants}));
    next_ += 0x400;
    const std::size_t runs = 1 + random.below(3);
    for (std::size_t i = 0; i < runs; ++i) add_run(code);
  }

  std::vector<CommandWord> commands;

 private:
  void add_run(const std::vector<Instruction>& code) {
    const auto words =
        static_cast<std::uint16_t>(1 + random_.below(random_.below(2) == 0 ? 20 : 12000 / lanes_));
    std::array<std::uint32_t, 4> taken{}, sent{};
    for (const Instruction& one : code) {
      if (vector::takes_word(one)) taken[one.in] += words;
      if (one.out != 0) sent[one.out - 1U] += words;
    }
    for (std::uint8_t i = 0; i < 4; ++i) {
      add_streams(i, false, taken[i]);
      add_streams(i, true, sent[i]);
    }
    commands.push_back(
        encode(VectorRun{.last = static_cast<std::uint8_t>(code.size() - 1),
                         .words = words,
                         .first_word = static_cast<std::uint32_t>(random_.below(99)),
                         .words_a_row = 1 + static_cast<std::uint32_t>(random_.below(2 * words))}));
  }

  void add_streams(std::uint8_t number, bool writes, std::uint32_t words) {
    while (words > 0) {
      VectorStream stream{.number = number, .writes = writes};
      const auto a_row = 1 + static_cast<std::uint32_t>(random_.below(std::min(words, 40U)));
      stream.rows = static_cast<std::uint16_t>(1 + random_.below(words / a_row));
      const auto missing = static_cast<std::uint32_t>(random_.below(2) * random_.below(lanes_));
      stream.cols =
          static_cast<std::uint16_t>(a_row * static_cast<std::uint32_t>(lanes_) - missing);
      stream.format = static_cast<device::VectorStreamFormat>(random_.below(writes ? 4 : 3));
      stream.broadcasts = !writes && random_.below(5) == 0;
      const auto bytes = static_cast<std::uint32_t>(stream.cols * streamed_bytes(stream.format));
      stream.row_stride = bytes + static_cast<std::uint32_t>(random_.below(2) * random_.below(64));
      stream.address = next_;
      next_ += std::uint64_t{stream.row_stride} * stream.rows;
      commands.push_back(encode(stream));
      words -= stream.rows * a_row;
    }
  }

  Random& random_;
  int lanes_;
  std::uint64_t next_ = kBase;
};

}  // namespace

TEST_CASE("a kernel computed whole leaves the memory that its commands leave", "[kernel_runner]") {
  Random random(0x5eed'0071);
  for (int i = 0; i < 150; ++i) {
    const int lanes = 4 << random.below(6);
    FlatMemory memory(kBase, kSize);
    const RandomKernel kernel(random, lanes, memory);
    FlatMemory expected = memory;
    ProgramInterpreter interpreter(lanes, expected);
    const ProgramWindow window{kBase, kBase + kSize, true, true};
    interpreter.set_windows({&window, 1});
    const ProgramFault fault = interpreter.run(kernel.commands);
    INFO("kernel " << i << ", " << lanes << " lanes, command " << fault.command);
    REQUIRE(fault.code == FaultCode::kNone);
    KernelRunner runner(lanes, 1 + static_cast<int>(random.below(3)), memory);
    REQUIRE(runner.can_run(kernel.commands));
    runner.run(kernel.commands);
    const bool same = memory.get<std::byte>(kBase, kSize) == expected.get<std::byte>(kBase, kSize);
    REQUIRE(same);
  }
}

TEST_CASE("groups that go through an instruction together give the bits of one after the other",
          "[kernel_runner]") {
  Random random(0x5eed'0072);
  int independent = 0;
  for (int i = 0; i < 200; ++i) {
    const int lanes = 4 << random.below(6);
    vector::Program program{.code = random_code(random, lanes, random.below(3) != 0)};
    for (int c = 0; c < kernels::kVectorConstants; ++c) {
      program.constants.push_back(static_cast<std::uint32_t>(random.bits()));
    }
    independent += vector::has_independent_groups(program) ? 1 : 0;
    vector::Interpreter together(lanes), apart(lanes);
    for (int run = 0; run < 3; ++run) {  // the registers survive
      const auto words = static_cast<std::uint32_t>(1 + random.below(700));
      const vector::Interpreter::Run whole{
          .words = words,
          .words_a_row = 1 + static_cast<std::uint32_t>(random.below(words)),
          .first_element = static_cast<std::uint32_t>(random.below(1000))};
      std::array<std::size_t, 4> takers{};
      for (const Instruction& one : program.code) {
        if (vector::takes_word(one)) ++takers[one.in];
      }
      std::array<std::vector<std::uint32_t>, 4> in;
      vector::Interpreter::Streams all, parts;
      for (std::size_t s = 0; s < 4; ++s) {
        in[s].resize(takers[s] * words * static_cast<std::size_t>(lanes));
        for (std::uint32_t& lane : in[s]) lane = static_cast<std::uint32_t>(random.bits());
        all.in[s] = in[s];
      }
      together.run(program, whole, all);
      for (std::uint32_t word = 0; word < words; word += vector::kSlots) {
        vector::Interpreter::Run part = whole;
        part.first_word = word;
        part.words = std::min<std::uint32_t>(vector::kSlots, words - word);
        for (std::size_t s = 0; s < 4; ++s) {
          parts.in[s] =
              std::span(in[s]).subspan(takers[s] * word * static_cast<std::size_t>(lanes));
        }
        apart.run(program, part, parts);
      }
      INFO("program " << i << ", " << lanes << " lanes, run " << run << " of " << words);
      for (std::size_t s = 0; s < 4; ++s) {
        const bool same = all.out[s] == parts.out[s];
        REQUIRE(same);
      }
    }
  }
  CHECK(independent > 50);
}

TEST_CASE("a word that is read after its place is written is the word as it came",
          "[kernel_runner]") {
  constexpr int kLanes = 16;
  constexpr std::uint32_t kWords = 100;
  vector::Assembler assembler;
  const vector::Value word = assembler.read(0);
  assembler.send(0, assembler.integer_add(word, vector::Assembler::kUnit));
  assembler.send(1, assembler.integer_add(word, word));
  const vector::Program program = assembler.finish();
  REQUIRE(vector::has_independent_groups(program));
  std::vector<std::uint32_t> in_place(kWords * kLanes, 21), twice(in_place.size());
  vector::Interpreter::Places places;
  places.in[0] = places.out[0] = in_place;
  places.out[1] = twice;
  vector::Interpreter(kLanes).run(program, {.words = kWords}, places);
  CHECK(std::ranges::count(in_place, 22U) == std::ssize(in_place));
  CHECK(std::ranges::count(twice, 42U) == std::ssize(twice));
}

TEST_CASE("a value that is kept and sent survives in its register when its place is written again",
          "[kernel_runner]") {
  constexpr int kLanes = 16;
  constexpr std::uint32_t kWords = 216;  // the last block of groups is a short one
  vector::Assembler assembler, later;
  const vector::Value sum = assembler.integer_add(assembler.take(0), vector::Assembler::kUnit);
  assembler.keep(15, sum);
  vector::Program program = assembler.finish();
  program.code.back().out = 1;  // and sends it
  later.send(0, later.kept(15));
  REQUIRE(vector::has_independent_groups(program));
  std::vector<std::uint32_t> words(kWords * kLanes), last(vector::kSlots * kLanes);
  std::iota(words.begin(), words.end(), 1);
  vector::Interpreter::Places places;
  places.in[0] = places.out[0] = words;
  vector::Interpreter interpreter(kLanes);
  interpreter.run(program, {.words = kWords}, places);
  for (std::uint32_t i = 0; i < words.size(); ++i) REQUIRE(words[i] == i + 2);
  const std::vector<std::uint32_t> sent(words.end() - std::ssize(last), words.end());
  std::ranges::fill(words, 0U);
  interpreter.run(later.finish(), {.words = vector::kSlots}, {.in = {}, .out = {last}});
  CHECK(last == sent);
}

TEST_CASE("a run of more words than its streams is refused", "[kernel_runner]") {
  FlatMemory memory(kBase, 1 << 16);
  vector::Assembler program;
  program.send(0, program.read(0));
  std::vector<std::uint64_t> code;
  for (const Instruction& one : program.finish().code) code.push_back(one.encode());
  memory.put(kBase, code);
  const std::vector<CommandWord> commands{
      encode(VectorProgram{.address = kBase, .count = static_cast<std::uint8_t>(code.size())}),
      encode(VectorStream{.address = kBase + 0x1000, .rows = 1, .cols = 64}),
      encode(VectorStream{.address = kBase + 0x2000, .rows = 1, .cols = 64, .writes = true}),
      encode(VectorRun{.last = static_cast<std::uint8_t>(code.size() - 1), .words = 17})};
  KernelRunner runner(4, 1, memory);
  REQUIRE_THROWS_WITH(runner.run(commands), Catch::Contains("more words than its streams"));
}

TEST_CASE("a kernel whose memory is not there is not run", "[kernel_runner]") {
  FlatMemory memory(kBase, 1 << 12);
  const std::vector<CommandWord> commands{
      encode(VectorStream{.address = kBase + 0xff0, .row_stride = 16, .rows = 2, .cols = 4})};
  CHECK_FALSE(KernelRunner(4, 1, memory).can_run(commands));
}

}  // namespace systole
