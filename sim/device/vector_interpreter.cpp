#include "sim/device/vector_interpreter.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "host/cpu/flush_subnormals.h"

namespace systole::vector {
namespace {

using Bits = std::uint32_t;

/// What an instruction goes through at once, if groups are independent: its operands stay in the
/// first cache.
constexpr std::uint32_t kBlockElements = 1024;

}  // namespace

bool has_independent_groups(const Program& program) {
  std::uint32_t writes = 0;
  for (const Instruction& one : program.code) {
    if (one.writes) writes |= 1U << one.target;
  }
  std::uint32_t written = 0;
  unsigned taken = 0, sent = 0;
  for (const Instruction& one : program.code) {
    for (const std::uint8_t place : {one.a, one.b, one.c}) {
      const bool is_register = place < kernels::kVectorRegisters;
      if (is_register && (writes & ~written & 1U << place) != 0) return false;
    }
    if (takes_word(one) && std::exchange(taken, taken | 1U << one.in) == taken) return false;
    if (one.out != 0 && std::exchange(sent, sent | 1U << one.out) == sent) return false;
    if (one.writes) written |= 1U << one.target;
  }
  return true;
}

Flow::Flow(const Program& program) {
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& one = program.code[i];
    if (takes_word(one)) {
      ++in[one.in];
      last_taken[one.in] = i;
    }
    if (one.out != 0 && out[one.out - 1U]++ == 0) first_sent[one.out - 1U] = i;
  }
}

Interpreter::Interpreter(int lanes, const Operations::Set& operations)
    : execute_(operations.execute),
      lanes_(static_cast<std::uint32_t>(lanes)),
      group_(lanes_ * kSlots),
      block_(std::max(group_, kBlockElements)),
      registers_(std::size_t{kernels::kVectorRegisters} * block_),
      constants_(std::size_t{kernels::kVectorConstants} * kSame),
      exchanged_(block_),
      result_(block_),
      position_(3 * std::size_t{block_}) {
  for (const Bits fixed : {0x3f800000U, 0x80000000U, 0U, 1U}) {
    fixed_.insert(fixed_.end(), kSame, fixed);
  }
}

void Interpreter::copy_registers(const Interpreter& other) {
  for (std::size_t i = 0; i < registers_.size(); i += block_) {
    std::copy_n(&other.registers_[i], group_, &registers_[i]);
  }
}

void Interpreter::load(const Program& program) {
  for (const Instruction& instruction : program.code) {
    const std::uint32_t lane_distance = (1U << instruction.exchange) >> kernels::kExchangeLane;
    const bool meets = instruction.exchange < kernels::kExchangeSlot
                           ? lane_distance < lanes_
                           : instruction.exchange < kernels::kExchangeSlot + 3;
    if (!meets) throw std::invalid_argument("an exchange reaches past the lanes or slots");
  }
  loaded_.resize(std::max(loaded_.size(), program.constants.size()));
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    if (loaded_[i] == program.constants[i]) continue;
    loaded_[i] = program.constants[i];
    std::fill_n(constants_.begin() + static_cast<std::ptrdiff_t>(i * kSame), kSame, loaded_[i]);
  }
}

Operand Interpreter::source(int operand, std::uint8_t place, const Run& run, std::uint32_t word,
                            std::size_t count) {
  if (place < kernels::kVectorRegisters) return {lies_[place] ? lies_[place] : own(place)};
  if (place >= kernels::kSourceConstants) {
    return {&constants_[std::size_t{place} % kernels::kVectorConstants * kSame], true};
  }
  if (place < kernels::kSourceColumn) {
    return {&fixed_[std::size_t{place} % kernels::kSourceOne * kSame], true};
  }
  Bits* position = &position_[static_cast<std::size_t>(operand) * block_];
  for (std::size_t first = 0; first < count; first += lanes_, ++word) {
    const Bits start = place == kernels::kSourceColumn ? word % run.words_a_row * lanes_
                       : place == kernels::kSourceRow  ? word / run.words_a_row
                                                       : run.first_element + word * lanes_;
    const Bits step = place == kernels::kSourceRow ? 0 : 1;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      position[first + lane] = start + step * lane;
    }
  }
  return {position};
}

/// What a program reads of registers and does not write is the same in every group.
void Interpreter::spread_registers(const Program& program) {
  std::uint32_t reads = 0;
  for (const Instruction& one : program.code) {
    for (const std::uint8_t place : {one.a, one.b, one.c}) {
      if (place < kernels::kVectorRegisters) reads |= 1U << place;
    }
  }
  for (const Instruction& one : program.code) {
    if (one.writes) reads &= ~(1U << one.target);
  }
  for (std::size_t place = 0; reads != 0; ++place, reads >>= 1) {
    if ((reads & 1) == 0) continue;
    Bits* const first = own(static_cast<std::uint8_t>(place));
    for (std::size_t i = group_; i < block_; i += group_) std::copy_n(first, group_, first + i);
  }
}

void Interpreter::keep_last_group(const Program& program, std::size_t groups) {
  for (const Instruction& one : program.code) {
    Bits* const first = own(one.target);
    if (one.writes && groups > 1) std::copy_n(first + (groups - 1) * group_, group_, first);
  }
}

/// Which instructions leave their register's value where a stream has it: those that only keep a
/// word that came, and those that also send. It is read there before anything else is sent to its
/// place.
void Interpreter::find_in_place(const Program& program, const Flow& flow, const Places& places) {
  in_place_.assign(program.code.size(), false);
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& one = program.code[i];
    const bool keeps_word = one.operation == VectorOperation::kOr && one.writes && one.out == 0 &&
                            one.exchange == 0 && one.a == kernels::kSourceStream &&
                            one.b == kernels::kSourceZero && one.c == kernels::kSourceZero;
    const bool sends = one.writes && one.out != 0;
    if (!keeps_word && !sends) continue;
    std::size_t last_read = i;
    for (std::size_t j = i + 1; j < program.code.size(); ++j) {
      const Instruction& later = program.code[j];
      for (const std::uint8_t place : {later.a, later.b, later.c}) {
        if (place == one.target) last_read = j;
      }
      if (later.writes && later.target == one.target) break;
    }
    const std::span<const Bits> word = sends ? places.out[one.out - 1U] : places.in[one.in];
    in_place_[i] = true;
    for (std::size_t o = 0; o < places.out.size(); ++o) {
      const auto sent = places.out[o];
      const bool overlaps =
          sent.data() < word.data() + word.size() && word.data() < sent.data() + sent.size();
      const bool is_own = sends && o == one.out - 1U;
      if (overlaps && !is_own && flow.first_sent[o] < last_read) in_place_[i] = false;
    }
  }
}

void Interpreter::execute_group(const Program& program, const Run& run, std::uint32_t word,
                                std::size_t count, const Places& places, bool is_last) {
  lies_.fill(nullptr);
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& instruction = program.code[i];
    const Bits* stream = nullptr;
    if (takes_word(instruction)) {
      std::size_t& taken = taken_[instruction.in];
      if (places.in[instruction.in].size() < taken + count) {
        throw std::out_of_range("an input stream ends before the micro-program does");
      }
      stream = places.in[instruction.in].subspan(taken).data();
      taken += count;
    }
    const bool in_place = !in_place_.empty() && in_place_[i];
    const auto leave = [&](const Bits* value) {
      lies_[instruction.target] = value;
      if (!is_last) return;  // a run's last group survives in the register
      std::copy_n(value + count - group_, group_, own(instruction.target) + count - group_);
    };
    if (in_place && instruction.out == 0) {
      leave(stream);
      continue;
    }
    const std::uint8_t sources[] = {instruction.a, instruction.b, instruction.c};
    Operand operands[3];
    for (int n = 0; n < 3; ++n) {
      operands[n] = sources[n] == kernels::kSourceStream
                        ? Operand{stream}
                        : source(n, sources[n], run, run.first_word + word, count);
    }
    const bool lanes_meet = instruction.exchange < kernels::kExchangeSlot;
    const bool is_register = instruction.b < kernels::kVectorRegisters;
    // What is the same in all lanes stays so.
    if (instruction.exchange != 0 && !operands[1].is_same && (lanes_meet || is_register)) {
      const std::uint32_t distance =
          lanes_meet ? 1U << (instruction.exchange - kernels::kExchangeLane)
                     : lanes_ << (instruction.exchange - kernels::kExchangeSlot);
      // Another slot's register counts although the group has no word for it.
      const std::size_t all = lanes_meet ? count : (count + group_ - 1) / group_ * group_;
      for (std::uint32_t e = 0; e < all; ++e) exchanged_[e] = operands[1].first[e ^ distance];
      operands[1].first = exchanged_.data();
    }
    Bits* sent = nullptr;
    if (instruction.out != 0) {
      const std::size_t number = instruction.out - 1U;
      sent = places.out[number].data() + sent_[number];
      sent_[number] += count;
    }
    if (instruction.writes) lies_[instruction.target] = nullptr;
    Bits* result = instruction.writes && !in_place ? own(instruction.target)
                   : sent != nullptr               ? sent
                                                   : result_.data();
    execute_(instruction, result, operands[0], operands[1], operands[2], count);
    if (in_place) {
      leave(sent);
    } else if (sent != nullptr && sent != result) {
      std::copy_n(result, count, sent);
    }
  }
}

void Interpreter::run(const Program& program, const Run& run, Streams& streams) {
  Places places{.in = streams.in, .out = {}};
  const Flow flow(program);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t first = streams.out[i].size(), count = flow.out[i] * run.words * lanes_;
    streams.out[i].resize(first + count);
    places.out[i] = std::span(streams.out[i]).subspan(first);
  }
  this->run(program, run, places);
}

void Interpreter::run(const Program& program, const Run& run, const Places& places) {
  const graph::FlushSubnormals flushed;
  load(program);
  taken_ = sent_ = {};
  std::uint32_t word = 0;
  const std::uint32_t block_words = block_ / lanes_;
  if (run.words >= 2 * kSlots && block_ > group_ && has_independent_groups(program)) {
    spread_registers(program);
    find_in_place(program, Flow(program), places);
    while (run.words - word >= kSlots) {
      const std::uint32_t words = std::min(block_words, (run.words - word) / kSlots * kSlots);
      const bool is_last = run.words - word - words < kSlots;
      execute_group(program, run, word, std::size_t{words} * lanes_, places, is_last);
      word += words;
      if (is_last) keep_last_group(program, words / kSlots);
    }
  }
  in_place_.clear();
  for (; word < run.words; word += kSlots) {
    const std::uint32_t words = std::min<std::uint32_t>(kSlots, run.words - word);
    execute_group(program, run, word, std::size_t{words} * lanes_, places, true);
  }
}

}  // namespace systole::vector
