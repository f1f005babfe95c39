#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hls/kernels/vector/instruction.h"

namespace systole::vector {

using kernels::VectorOperation;
using kernels::VectorPredicate;
using kernels::VectorRounding;
using kernels::VectorTable;

/// One instruction of the vector engine, as kernels::VectorInstruction lays it out in 64 bits.
struct Instruction {
  VectorOperation operation = VectorOperation::kFma;
  std::uint8_t mode = 0;
  std::uint8_t a = kernels::kSourceZero;
  std::uint8_t b = kernels::kSourceZero;
  std::uint8_t c = kernels::kSourceZero;
  std::uint8_t target = 0;
  bool writes = false;
  std::uint8_t out = 0;
  std::uint8_t in = 0;
  bool negate_product = false;
  bool negate_addend = false;
  std::uint8_t exchange = 0;

  std::uint64_t encode() const;
  static Instruction decode(std::uint64_t word);
  bool operator==(const Instruction&) const = default;
};

/// Whether a unit of so many lanes has this instruction: known operation, mode, sources, output
/// and exchange, no bit set above them. An exchange between slots takes and sends no word and does
/// not write its operand b.
bool is_legal(std::uint64_t instruction, int lanes);

/// Whether an instruction takes a word from its stream.
constexpr bool takes_word(const Instruction& instruction) {
  return instruction.a == kernels::kSourceStream || instruction.b == kernels::kSourceStream ||
         instruction.c == kernels::kSourceStream;
}

/// A micro-program as data: what the host loads into the engine.
///
/// Limits   at most 64 instructions and 32 constants
struct Program {
  std::vector<Instruction> code;
  std::vector<std::uint32_t> constants;
};

/// An operand, while a program is written: a value that an instruction makes, or a fixed source.
struct Value {
  bool is_made = false;  ///< by instruction `place`
  bool negated = false;  ///< as a product's factor or an addend only
  std::uint8_t place = kernels::kSourceZero;
};
constexpr Value operator-(Value value) {
  value.negated = !value.negated;
  return value;
}

/// Writes a micro-program: one call, one instruction. finish() gives values their registers.
///
/// Limits   64 instructions, 32 constants, 16 registers at once: past one, calls write nothing, and
///          the first limit passed is kept; a word that take() announces is used once, by the next
///          instruction
/// Errors   std::invalid_argument where an operation cannot negate an operand
class Assembler {
 public:
  static constexpr Value kOne{.place = kernels::kSourceOne};
  static constexpr Value kMinusZero{.place = kernels::kSourceMinusZero};
  static constexpr Value kZero{.place = kernels::kSourceZero};
  static constexpr Value kUnit{.place = kernels::kSourceUnit};
  static constexpr Value kColumn{.place = kernels::kSourceColumn};
  static constexpr Value kElement{.place = kernels::kSourceElement};

  Value constant(std::uint32_t bits);
  Value constant(float value) { return constant(std::bit_cast<std::uint32_t>(value)); }

  /// The next word of input stream `stream`: `take` for one use, `read` to keep it.
  Value take(int stream);
  Value read(int stream) { return bits_or(take(stream), kZero); }

  Value fma(Value a, Value b, Value c) { return sum(VectorOperation::kFma, a, b, c); }
  Value add(Value a, Value b) { return fma(a, kOne, b); }
  Value subtract(Value a, Value b) { return fma(a, kOne, -b); }
  Value multiply(Value a, Value b) { return fma(a, b, kMinusZero); }
  Value multiply_add(Value a, Value b, Value c) {  // of integers
    return sum(VectorOperation::kMultiplyAdd, a, b, c);
  }
  Value integer_add(Value a, Value b) { return multiply_add(a, kUnit, b); }
  Value make(VectorOperation operation, Value a, Value b = kZero, Value c = kZero,
             std::uint8_t mode = 0);
  Value maximum(Value a, Value b) { return make(VectorOperation::kMaximum, a, b); }
  Value minimum(Value a, Value b) { return make(VectorOperation::kMinimum, a, b); }
  Value compare(VectorPredicate predicate, Value a, Value b) {
    return make(VectorOperation::kCompare, a, b, kZero, static_cast<std::uint8_t>(predicate));
  }
  Value select(Value condition, Value yes, Value no) {
    return make(VectorOperation::kSelect, yes, no, condition);
  }
  Value bits_and(Value a, Value b) { return make(VectorOperation::kAnd, a, b); }
  Value bits_or(Value a, Value b) { return make(VectorOperation::kOr, a, b); }
  Value bits_xor(Value a, Value b, Value c = kZero) { return make(VectorOperation::kXor, a, b, c); }
  Value scale(Value a, Value exponent) { return make(VectorOperation::kScale, a, exponent); }
  Value seed(VectorTable table, Value a) {
    return make(VectorOperation::kSeed, a, kZero, kZero, static_cast<std::uint8_t>(table));
  }

  /// `value` with operand b of the instruction that makes it read from lane n ^ 2^k.
  Value exchange_lanes(VectorOperation operation, Value a, Value b, int k);
  /// Likewise from slot s ^ 2^k; the result is in another register than b.
  Value exchange_slots(VectorOperation operation, Value a, Value b, int k);

  /// The instruction that made `value`, the last one, also sends it to output stream `stream`.
  void send(int stream, Value value);
  /// `value` is in register `place` at the end, and that register is used for nothing else.
  void keep(int place, Value value);
  /// Register `place`, as an earlier group or program left it.
  Value kept(int place);

  /// The limit that the program has passed so far; registers are counted at the end.
  const std::optional<std::string>& limit() const { return limit_; }

  /// The program, or the first limit that it passes.
  std::variant<Program, std::string> assemble();
  /// Errors   std::length_error with that limit
  Program finish();

 private:
  Value sum(VectorOperation operation, Value a, Value b, Value c);
  Value push(Instruction instruction, Value a, Value b, Value c);

  struct Line {
    Instruction instruction;
    Value operands[3];
    int pinned = -1;
  };
  std::vector<Line> lines_;
  std::vector<std::uint32_t> constants_;
  std::uint32_t pinned_registers_ = 0;
  int stream_ = -1;
  std::optional<std::string> limit_;
};

}  // namespace systole::vector
