#include "host/vector/program.h"

#include <algorithm>
#include <stdexcept>

namespace systole::vector {
namespace {

constexpr std::size_t kMostInstructions = 64;

}  // namespace

std::uint64_t Instruction::encode() const {
  std::uint64_t word = 0;
  int place = 0;
  const auto field = [&](std::uint64_t value, int bits) {
    word |= value << place;
    place += bits;
  };
  field(static_cast<std::uint64_t>(operation), 5);
  field(mode, 3);
  for (const std::uint8_t source : {a, b, c}) field(source, 6);
  field(target, 4);
  field(writes, 1);
  field(out, 3);
  field(in, 2);
  field(negate_product, 1);
  field(negate_addend, 1);
  field(exchange, 4);
  return word;
}

Instruction Instruction::decode(std::uint64_t word) {
  const auto field = [&](int bits) {
    const auto value = static_cast<std::uint8_t>(word & ((1U << bits) - 1));
    word >>= bits;
    return value;
  };
  Instruction result;
  result.operation = static_cast<VectorOperation>(field(5));
  result.mode = field(3);
  result.a = field(6);
  result.b = field(6);
  result.c = field(6);
  result.target = field(4);
  result.writes = field(1) != 0;
  result.out = field(3);
  result.in = field(2);
  result.negate_product = field(1) != 0;
  result.negate_addend = field(1) != 0;
  result.exchange = field(4);
  return result;
}

bool is_legal(std::uint64_t word, int lanes) {
  const Instruction code = Instruction::decode(word);
  const int operation = static_cast<int>(code.operation);
  int modes = 1;
  if (code.operation == VectorOperation::kCompare) modes = 6;
  if (code.operation == VectorOperation::kToInteger) modes = 2;
  if (code.operation == VectorOperation::kSeed) modes = 2;
  if (operation >= kernels::kVectorOperations || code.mode >= modes || code.out > 4 ||
      word >> 42 != 0) {
    return false;
  }
  for (const std::uint8_t source : {code.a, code.b, code.c}) {
    if (source >= kernels::kSourceEnd && source < kernels::kSourceConstants) return false;
  }
  if (code.exchange < kernels::kExchangeSlot) return 1 << code.exchange >> 1 < lanes;
  return code.exchange < kernels::kExchangeSlot + 3 && !takes_word(code) && code.out == 0 &&
         !(code.writes && code.target == code.b);
}

Value Assembler::constant(std::uint32_t bits) {
  auto found = std::find(constants_.begin(), constants_.end(), bits);
  if (found == constants_.end()) {
    if (constants_.size() == kernels::kVectorConstants) {
      if (!limit_) limit_ = "a micro-program has at most 32 constants";
      return kZero;
    }
    found = constants_.insert(found, bits);
  }
  return {.place =
              static_cast<std::uint8_t>(kernels::kSourceConstants + (found - constants_.begin()))};
}

Value Assembler::take(int stream) {
  if (stream_ != -1) throw std::invalid_argument("an instruction takes from one stream");
  stream_ = stream;
  return {.place = kernels::kSourceStream};
}

Value Assembler::sum(VectorOperation operation, Value a, Value b, Value c) {
  const Instruction instruction{
      .operation = operation, .negate_product = a.negated != b.negated, .negate_addend = c.negated};
  a.negated = b.negated = c.negated = false;
  return push(instruction, a, b, c);
}

Value Assembler::make(VectorOperation operation, Value a, Value b, Value c, std::uint8_t mode) {
  return push({.operation = operation, .mode = mode}, a, b, c);
}

Value Assembler::exchange_lanes(VectorOperation operation, Value a, Value b, int k) {
  const bool adds_floats = operation == VectorOperation::kFma;
  const bool adds = adds_floats || operation == VectorOperation::kMultiplyAdd;
  const Value result = adds ? sum(operation, b, kOne, a) : make(operation, a, b);
  Line& line = lines_.back();
  if (adds) {  // a + b as 1 * b + a
    line.operands[0] = adds_floats ? kOne : kUnit;
    line.operands[1] = b;
  }
  line.instruction.exchange = static_cast<std::uint8_t>(kernels::kExchangeLane + k);
  return result;
}

Value Assembler::exchange_slots(VectorOperation operation, Value a, Value b, int k) {
  const Value result = exchange_lanes(operation, a, b, 0);
  lines_.back().instruction.exchange = static_cast<std::uint8_t>(kernels::kExchangeSlot + k);
  return result;
}

Value Assembler::push(Instruction instruction, Value a, Value b, Value c) {
  if (a.negated || b.negated || c.negated) {
    throw std::invalid_argument("this operation negates no operand");
  }
  if (lines_.size() == kMostInstructions) {
    if (!limit_) limit_ = "a micro-program has at most 64 instructions";
    stream_ = -1;
    return {.is_made = true, .place = static_cast<std::uint8_t>(lines_.size() - 1)};
  }
  if (stream_ != -1) {
    const auto is_stream = [](const Value& value) {
      return !value.is_made && value.place == kernels::kSourceStream;
    };
    if (!is_stream(a) && !is_stream(b) && !is_stream(c)) {
      throw std::invalid_argument("the instruction after take() uses the word");
    }
    instruction.in = static_cast<std::uint8_t>(stream_);
    stream_ = -1;
  }
  instruction.writes = true;
  lines_.push_back({instruction, {a, b, c}, -1});
  return {.is_made = true, .place = static_cast<std::uint8_t>(lines_.size() - 1)};
}

void Assembler::send(int stream, Value value) {
  if (!value.is_made || lines_.at(value.place).instruction.out != 0) {
    value = bits_or(value, kZero);
  }
  lines_[value.place].instruction.out = static_cast<std::uint8_t>(stream + 1);
}

void Assembler::keep(int place, Value value) {
  if (!value.is_made || lines_.at(value.place).pinned != -1) value = bits_or(value, kZero);
  lines_[value.place].pinned = place;
  pinned_registers_ |= 1U << place;
}

Value Assembler::kept(int place) {
  pinned_registers_ |= 1U << place;
  return {.place = static_cast<std::uint8_t>(place)};
}

Program Assembler::finish() {
  auto assembled = assemble();
  if (const auto* limit = std::get_if<std::string>(&assembled)) throw std::length_error(*limit);
  return std::get<Program>(std::move(assembled));
}

std::variant<Program, std::string> Assembler::assemble() {
  if (limit_) return *limit_;
  std::vector<int> last_use(lines_.size(), -1);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    for (const Value& operand : lines_[i].operands) {
      if (operand.is_made) last_use[operand.place] = static_cast<int>(i);
    }
  }
  std::uint32_t free = ~pinned_registers_ & ((1U << kernels::kVectorRegisters) - 1);
  std::vector<std::uint8_t> place_of(lines_.size());
  Program program{.code = {}, .constants = constants_};
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    Line& line = lines_[i];
    Instruction& instruction = line.instruction;
    std::uint8_t* sources[] = {&instruction.a, &instruction.b, &instruction.c};
    std::uint32_t released = 0;
    for (int n = 0; n < 3; ++n) {
      const Value& operand = line.operands[n];
      *sources[n] = operand.is_made ? place_of[operand.place] : operand.place;
      if (operand.is_made && last_use[operand.place] == static_cast<int>(i) &&
          lines_[operand.place].pinned == -1) {
        released |= 1U << *sources[n];
      }
    }
    // An exchange between slots reads b after other slots have written the result.
    const bool exchanges_slots = instruction.exchange >= kernels::kExchangeSlot;
    if (!exchanges_slots) free |= released;
    instruction.writes = line.pinned != -1 || last_use[i] != -1;
    if (line.pinned != -1) {
      instruction.target = static_cast<std::uint8_t>(line.pinned);
    } else if (instruction.writes) {
      if (free == 0) return "a micro-program keeps at most 16 values at once";
      instruction.target = static_cast<std::uint8_t>(std::countr_zero(free));
      free &= free - 1;
    }
    if (exchanges_slots) free |= released;
    place_of[i] = instruction.target;
    program.code.push_back(instruction);
  }
  return program;
}

}  // namespace systole::vector
