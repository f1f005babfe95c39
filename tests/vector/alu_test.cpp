// The lane's arithmetic against the interpreter, which computes on the CPU's own units.

#include "hls/kernels/vector/alu.h"

#include <fmt/format.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "sim/device/vector_interpreter.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {
namespace {

using vector::Instruction;
using vector::VectorOperation;

constexpr std::uint64_t kSeed = 0x5eed'0051;

std::uint32_t kernel(const Instruction& instruction, std::uint32_t a, std::uint32_t b,
                     std::uint32_t c) {
  using namespace kernels;
  const VectorTask task{.operation = UInt<5>::from(static_cast<unsigned>(instruction.operation)),
                        .mode = UInt<3>::from(instruction.mode),
                        .negate_product = as_bit(instruction.negate_product),
                        .negate_addend = as_bit(instruction.negate_addend)};
  return static_cast<std::uint32_t>(
      vector_alu(task, UInt32::from(a), UInt32::from(b), UInt32::from(c)).value());
}

/// Operands in threes for one instruction; check() compares all results.
class Cases {
 public:
  void add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    a_.push_back(a);
    b_.push_back(b);
    c_.push_back(c);
  }

  void check(Instruction instruction) {
    vector::Program program;
    for (std::uint8_t i = 0; i < 3; ++i) {
      program.code.push_back({.operation = VectorOperation::kOr,
                              .a = kernels::kSourceStream,
                              .target = i,
                              .writes = true,
                              .in = i});
    }
    instruction.a = 0;
    instruction.b = 1;
    instruction.c = 2;
    instruction.out = 1;
    program.code.push_back(instruction);
    std::vector<std::uint32_t> results;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      results.push_back(kernel(instruction, a_[i], b_[i], c_[i]));
    }
    for (const vector::Operations::Set& set : vector::operations()) {
      vector::Interpreter interpreter(1, set);
      vector::Interpreter::Streams streams{.in = {a_, b_, c_}, .out = {}};
      interpreter.run(program, {.words = static_cast<std::uint32_t>(a_.size())}, streams);
      std::uint64_t wrong = 0;
      std::string first;
      for (std::size_t i = 0; i < a_.size(); ++i) {
        if (results[i] == streams.out[0][i] || wrong++ != 0) continue;
        first =
            fmt::format("{}: operation {} mode {} of {:08x}, {:08x}, {:08x}: {:08x}, not {:08x}",
                        set.name, static_cast<int>(instruction.operation), instruction.mode, a_[i],
                        b_[i], c_[i], results[i], streams.out[0][i]);
      }
      INFO(first);
      CHECK(wrong == 0);
    }
  }

 private:
  std::vector<std::uint32_t> a_, b_, c_;
};

constexpr std::uint32_t kAddends[] = {0,          0x80000000, 1,          0x00800000, 0x80800000,
                                      0x3f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001};

/// Random bits, special values, small integers, and sums that cancel or round at a half.
std::uint32_t operand(Random& random) {
  static const std::vector<std::uint32_t> special = special_fp32();
  switch (random.below(4)) {
    case 0:
      return special[random.below(static_cast<std::uint32_t>(special.size()))];
    case 1:
      return random.below(64) - 32;
    default:
      return random.bits32();
  }
}

/// An addend near minus the product, or about as far below it as fp32 is wide.
std::uint32_t addend(Random& random, std::uint32_t a, std::uint32_t b) {
  const float product = std::bit_cast<float>(a) * std::bit_cast<float>(b);
  const std::uint32_t near = std::bit_cast<std::uint32_t>(-product);
  switch (random.below(4)) {
    case 0:
      return near + random.below(5) - 2;
    case 1:
      return (near - (random.between(20, 52) << 23)) ^ (random.below(2) << 31);
    case 2:
      return (near + (random.between(20, 52) << 23)) ^ (random.below(2) << 31);
    default:
      return operand(random);
  }
}

Cases random_cases(std::uint32_t count) {
  Random random(kSeed);
  Cases cases;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t a = operand(random), b = operand(random);
    cases.add(a, b, addend(random, a, b));
  }
  return cases;
}

TEST_CASE("a lane's multiply-add is the CPU's, with both signs and every special value",
          "[vector]") {
  INFO("seed " << kSeed);
  Cases random = random_cases(20'000);
  for (const bool product : {false, true}) {
    for (const bool sum : {false, true}) {
      random.check({.negate_product = product, .negate_addend = sum});
    }
  }
  Cases special;
  for (const std::uint32_t a : special_fp32()) {
    for (const std::uint32_t b : special_fp32()) {
      for (const std::uint32_t c : kAddends) special.add(a, b, c);
    }
  }
  special.check({});
}

TEST_CASE("every operation and mode of a lane gives the interpreter's bits", "[vector]") {
  INFO("seed " << kSeed);
  Cases cases = random_cases(4'000);
  for (int operation = 1; operation < kernels::kVectorOperations; ++operation) {
    const auto kind = static_cast<VectorOperation>(operation);
    const bool has_modes = kind == VectorOperation::kCompare ||
                           kind == VectorOperation::kToInteger || kind == VectorOperation::kSeed;
    for (std::uint8_t mode = 0; mode < (has_modes ? 8 : 1); ++mode) {
      cases.check({.operation = kind, .mode = mode});
    }
    cases.check({.operation = kind, .negate_product = true, .negate_addend = true});
  }
}

TEST_CASE("conversions to integers round and saturate as the standard library does", "[vector]") {
  using vector::VectorRounding;
  const auto convert = [](float value, VectorRounding rounding) {
    return static_cast<std::int32_t>(kernel(
        {.operation = VectorOperation::kToInteger, .mode = static_cast<std::uint8_t>(rounding)},
        std::bit_cast<std::uint32_t>(value), 0, 0));
  };
  for (int quarters = -40; quarters <= 40; ++quarters) {
    const float value = static_cast<float>(quarters) / 4;
    CHECK(convert(value, VectorRounding::kNearestEven) == std::lrint(value));
    CHECK(convert(value, VectorRounding::kFloor) == static_cast<int>(std::floor(value)));
  }
  CHECK(convert(1e10f, VectorRounding::kFloor) == 0x7fffffff);
  CHECK(convert(-1e10f, VectorRounding::kNearestEven) == -0x7fffffff - 1);
  CHECK(convert(NAN, VectorRounding::kFloor) == 0);
}

}  // namespace
}  // namespace systole::tests
