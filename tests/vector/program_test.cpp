// Micro-programs as they are written, encoded and interpreted.

#include "host/vector/program.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "hls/kernels/vector/commands.h"
#include "sim/device/vector_interpreter.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using vector::Assembler;
using vector::Instruction;
using vector::Interpreter;
using vector::Value;
using vector::VectorOperation;

TEST_CASE("an instruction's fields survive encoding, and the kernel decodes the same", "[vector]") {
  Random random(0x5eed'0052);
  for (int i = 0; i < 1000; ++i) {
    const Instruction before = Instruction::decode(random.bits());
    const std::uint64_t word = before.encode();
    CHECK(Instruction::decode(word) == before);
    const auto decoded = kernels::decode_vector(hls::UInt<64>::from(word));
    CHECK(decoded.operation.value() == static_cast<unsigned>(before.operation));
    CHECK(decoded.mode.value() == before.mode);
    CHECK(decoded.a.value() == before.a);
    CHECK(decoded.b.value() == before.b);
    CHECK(decoded.c.value() == before.c);
    CHECK(decoded.target.value() == before.target);
    CHECK(decoded.writes.value() == before.writes);
    CHECK(decoded.out.value() == before.out);
    CHECK(decoded.in.value() == before.in);
    CHECK(decoded.negate_product.value() == before.negate_product);
    CHECK(decoded.negate_addend.value() == before.negate_addend);
    CHECK(decoded.exchange.value() == before.exchange);
  }
}

TEST_CASE("host and kernel refuse the same instructions, one bit from legal ones among them",
          "[vector]") {
  Random random(0x5eed'0053);
  std::size_t legal = 0, meaningless = 0;
  for (int i = 0; i < 20'000; ++i) {
    Instruction code = Instruction::decode(random.bits());
    code.operation = static_cast<VectorOperation>(random.below(kernels::kVectorOperations));
    if (random.below(8) != 0) code.mode = static_cast<std::uint8_t>(random.below(2));
    if (random.below(8) != 0) code.out = static_cast<std::uint8_t>(random.below(5));
    std::uint64_t word = code.encode();
    if (random.below(2) == 0) word ^= std::uint64_t{1} << random.below(64);
    const auto bits = hls::UInt<64>::from(word);
    const bool found = vector::is_legal(word, 8);
    REQUIRE(found == static_cast<bool>(kernels::is_legal_vector_instruction<8>(bits)));
    legal += found;
    // docs/vector.md: sources 24 to 31 have no meaning.
    for (const int place : {8, 14, 20}) {
      const std::uint64_t source = word >> place & 63;
      if (source < 24 || source > 31) continue;
      REQUIRE_FALSE(found);
      ++meaningless;
    }
  }
  CHECK(legal > 1000);
  CHECK(meaningless > 2000);
}

TEST_CASE("a sum over lanes, slots and groups is the sum of all words", "[vector]") {
  constexpr int kLanes = 4, kWords = 19;
  std::vector<std::uint32_t> words(kLanes * kWords);
  std::iota(words.begin(), words.end(), 1);
  Assembler clear, accumulate, finish;
  clear.keep(15, Assembler::kZero);
  accumulate.keep(15, accumulate.integer_add(accumulate.kept(15), accumulate.take(0)));
  const auto add = [](Assembler& program, Value value, int k, bool slots) {
    const Value copy = program.bits_or(value, Assembler::kZero);
    const Value other =
        slots ? program.exchange_slots(VectorOperation::kOr, Assembler::kZero, copy, k)
              : program.exchange_lanes(VectorOperation::kOr, Assembler::kZero, copy, k);
    return program.integer_add(value, other);
  };
  Value sum = finish.kept(15);
  for (int k = 0; k < 3; ++k) sum = add(finish, sum, k, true);
  for (int k = 0; k < 2; ++k) sum = add(finish, sum, k, false);
  finish.send(0, sum);

  Interpreter interpreter(kLanes);
  Interpreter::Streams streams{.in = {words}, .out = {}};
  interpreter.run(clear.finish(), {.words = 8}, streams);
  interpreter.run(accumulate.finish(), {.words = kWords}, streams);
  interpreter.run(finish.finish(), {.words = 8}, streams);
  const std::uint32_t expected = std::accumulate(words.begin(), words.end(), 0U);
  CHECK(streams.out[0] == std::vector<std::uint32_t>(8 * kLanes, expected));
}

TEST_CASE("positions count columns, rows and elements", "[vector]") {
  constexpr int kLanes = 2;
  Assembler program;
  program.send(0, Assembler::kColumn);
  program.send(1, Assembler::kElement);
  Interpreter interpreter(kLanes);
  Interpreter::Streams streams;
  interpreter.run(program.finish(), {.words = 5, .words_a_row = 3, .first_element = 100}, streams);
  CHECK(streams.out[0] == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3});
  CHECK(streams.out[1] ==
        std::vector<std::uint32_t>{100, 101, 102, 103, 104, 105, 106, 107, 108, 109});
}

TEST_CASE("an assembler keeps the first limit of the engine that a program passes", "[vector]") {
  Assembler long_program;
  for (int i = 0; i < 64; ++i) long_program.add(Assembler::kOne, Assembler::kOne);
  CHECK_FALSE(long_program.limit());
  long_program.add(long_program.take(0), Assembler::kOne);
  for (std::uint32_t i = 0; i < 33; ++i) long_program.read(static_cast<int>(i % 4));
  CHECK(long_program.limit() == "a micro-program has at most 64 instructions");
  CHECK(std::get<std::string>(long_program.assemble()) == *long_program.limit());
  CHECK_THROWS_AS(long_program.finish(), std::length_error);

  Assembler constants;
  for (std::uint32_t i = 0; i < 32; ++i) constants.constant(i);
  CHECK_FALSE(constants.limit());
  constants.constant(32U);
  CHECK(constants.limit() == "a micro-program has at most 32 constants");

  Assembler registers;
  std::vector<Value> values;
  for (int i = 0; i < 17; ++i) values.push_back(registers.add(Assembler::kOne, Assembler::kOne));
  for (const Value& value : values) registers.send(0, registers.bits_or(value, Assembler::kZero));
  CHECK_THROWS_AS(registers.finish(), std::length_error);

  Assembler negated;
  CHECK_THROWS_AS(negated.maximum(-Assembler::kOne, Assembler::kOne), std::invalid_argument);
  Assembler unused;
  unused.take(0);
  CHECK_THROWS_AS(unused.add(Assembler::kOne, Assembler::kOne), std::invalid_argument);
}

TEST_CASE("an interpreter refuses an input that ends early", "[vector]") {
  Assembler program;
  program.send(0, program.read(0));
  Interpreter interpreter(4);
  const std::vector<std::uint32_t> three_words(12);
  Interpreter::Streams streams{.in = {three_words}, .out = {}};
  CHECK_THROWS_AS(interpreter.run(program.finish(), {.words = 4}, streams), std::out_of_range);
}

}  // namespace
}  // namespace systole::tests
