#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "hls/kernels/vector/unit.h"
#include "sim/device/vector_interpreter.h"
#include "tests/rtl/traffic.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {

/// A random instruction for `lanes` lanes that keeps the unit's limits.
inline vector::Instruction random_instruction(Random& random, int lanes) {
  using namespace kernels;
  const auto byte = [&](std::uint32_t below) {
    return static_cast<std::uint8_t>(random.below(below));
  };
  const auto source = [&]() -> std::uint8_t {
    switch (random.below(4)) {
      case 0:
        return static_cast<std::uint8_t>(kSourceConstants + byte(kVectorConstants));
      case 1:
        return static_cast<std::uint8_t>(kSourceStream + byte(8));
      default:
        return byte(kVectorRegisters);
    }
  };
  vector::Instruction result{
      .operation = random.below(3) == 0 ? VectorOperation::kFma
                                        : static_cast<VectorOperation>(byte(kVectorOperations)),
      .mode = byte(8),
      .a = source(),
      .b = source(),
      .c = source(),
      .target = byte(kVectorRegisters),
      .writes = random.below(8) != 0,
      .out = static_cast<std::uint8_t>(random.below(3) == 0 ? random.between(1, 4) : 0),
      .in = byte(4),
      .negate_product = random.below(2) == 0,
      .negate_addend = random.below(2) == 0};
  const int lane_steps = std::countr_zero(static_cast<unsigned>(lanes));
  if (random.below(6) == 0) {
    result.exchange =
        static_cast<std::uint8_t>(kExchangeLane + byte(static_cast<std::uint32_t>(lane_steps)));
  } else if (random.below(6) == 0) {
    result.exchange = static_cast<std::uint8_t>(kExchangeSlot + byte(3));
    result.out = 0;
    result.a = byte(kVectorRegisters);
    result.c = byte(kVectorRegisters);
    result.b = byte(kVectorRegisters);
    result.target = static_cast<std::uint8_t>((result.b + random.between(1, 15)) % 16);
  }
  return result;
}

/// Surroundings of a vector unit: programs and runs as commands, streams with stalls, and what the
/// interpreter says must leave.
template <int kLanes>
class VectorUnitWorld {
 public:
  using Unit = kernels::VectorUnit<kLanes>;
  using Word = typename Unit::Word;

  explicit VectorUnitWorld(std::uint64_t seed, bool stalls = true)
      : random_(seed), stalls_(stalls), interpreter_(kLanes) {
    unit_.reset();
  }

  /// Loads a program and runs it on words of random bits.
  void add(const vector::Program& program, const vector::Interpreter::Run& run) {
    for (std::size_t i = 0; i < program.constants.size(); ++i) {
      commands_.push_back({.kind = hls::UInt<2>(kernels::kVectorLoadConstant),
                           .place = hls::UInt<6>::from(i),
                           .last = hls::UInt<6>(0),
                           .first_word = hls::UInt32(0),
                           .data = hls::UInt<64>::from(program.constants[i])});
    }
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      commands_.push_back({.kind = hls::UInt<2>(kernels::kVectorLoadInstruction),
                           .place = hls::UInt<6>::from(i),
                           .last = hls::UInt<6>(0),
                           .first_word = hls::UInt32(0),
                           .data = hls::UInt<64>::from(program.code[i].encode())});
    }
    commands_.push_back(
        {.kind = hls::UInt<2>(kernels::kVectorRun),
         .place = hls::UInt<6>(0),
         .last = hls::UInt<6>::from(program.code.size() - 1),
         .first_word = hls::UInt32::from(run.first_element / kLanes),
         .data = hls::UInt<64>::from(std::uint64_t{run.words_a_row} << 32 | run.words)});
    expect(program, run);
  }

  void add_random() {
    vector::Program program;
    for (std::uint32_t i = 1 + random_.below(20); i > 0; --i) {
      program.code.push_back(random_instruction(random_, kLanes));
    }
    for (int i = 0; i < kernels::kVectorConstants; ++i) program.constants.push_back(bits());
    add(program, {.words = 1 + random_.below(30),
                  .words_a_row = 1 + random_.below(6),
                  .first_element = random_.below(1 << 20) * kLanes});
  }

  /// Writes every register, so that none is unknown: sixteen instructions on eight words.
  void clear_registers() {
    vector::Program program;
    for (std::uint8_t i = 0; i < kernels::kVectorRegisters; ++i) {
      program.code.push_back({.operation = vector::VectorOperation::kXor,
                              .a = kernels::kSourceElement,
                              .target = i,
                              .writes = true});
    }
    for (int i = 0; i < kernels::kVectorConstants; ++i) program.constants.push_back(bits());
    add(program, {.words = 8});
  }

  bool is_done() const {
    return commands_.empty() && !unit_.outputs().busy && left_ == words_expected();
  }
  std::uint64_t busy_clocks() const { return busy_clocks_; }
  std::uint64_t words_left() const { return left_; }

  /// The inputs of this clock; the world's own unit takes them.
  typename Unit::Inputs clock() {
    const auto out = unit_.outputs();
    typename Unit::Inputs in{};
    in.command = {.valid = hls::as_bit(!commands_.empty() && offers(command_valid_, command_)),
                  .data = commands_.empty() ? kernels::VectorCommand{} : commands_.front()};
    hls::Beat<Word>* const beats[] = {&in.in0, &in.in1, &in.in2, &in.in3};
    const hls::UInt1 taken[] = {out.in0_ready, out.in1_ready, out.in2_ready, out.in3_ready};
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<std::uint32_t>& queue = in_[i];
      const bool offered = at_[i] < queue.size() && offers(in_valid_[i], in_traffic_[i]);
      beats[i]->valid = hls::as_bit(offered);
      for (int n = 0; n < kLanes; ++n) {
        beats[i]->data[n] = hls::UInt32::from(offered ? queue[at_[i] + n] : 0);
      }
      if (offered && taken[i]) {
        at_[i] += kLanes;
        in_valid_[i] = false;
      }
    }
    hls::UInt1* const readies[] = {&in.out0_ready, &in.out1_ready, &in.out2_ready, &in.out3_ready};
    const hls::Beat<Word>* const words[] = {&out.out0, &out.out1, &out.out2, &out.out3};
    for (std::size_t i = 0; i < 4; ++i) {
      *readies[i] = stalls_ ? out_traffic_[i].next(random_) : hls::UInt1(1);
      if (words[i]->valid && *readies[i]) check(i, words[i]->data);
    }
    if (in.command.valid && out.command_ready) {
      commands_.pop_front();
      command_valid_ = false;
    }
    busy_clocks_ += static_cast<bool>(out.busy);
    unit_.clock(in);
    return in;
  }

  std::uint64_t wrong = 0;  ///< words that differ from the interpreter's

 private:
  std::uint32_t bits() {
    static const std::vector<std::uint32_t> special = special_fp32();
    switch (random_.below(3)) {
      case 0:
        return special[random_.below(static_cast<std::uint32_t>(special.size()))];
      case 1:
        return random_.below(64) - 32;
      default:
        return random_.bits32();
    }
  }

  /// An offer stays until it is taken.
  bool offers(bool& is_offered, Traffic& traffic) {
    is_offered = is_offered || !stalls_ || traffic.next(random_);
    return is_offered;
  }

  void expect(const vector::Program& program, const vector::Interpreter::Run& run) {
    std::array<std::size_t, 4> from;
    vector::Interpreter::Streams streams;
    for (std::size_t i = 0; i < 4; ++i) {
      from[i] = in_[i].size();
      for (const vector::Instruction& code : program.code) {
        const bool takes = code.a == kernels::kSourceStream || code.b == kernels::kSourceStream ||
                           code.c == kernels::kSourceStream;
        if (!takes || code.in != i) continue;
        for (std::uint32_t n = 0; n < run.words * kLanes; ++n) in_[i].push_back(bits());
      }
      streams.in[i] = std::span(in_[i]).subspan(from[i]);
    }
    interpreter_.run(program, run, streams);
    for (std::size_t i = 0; i < 4; ++i) {
      expected_[i].insert(expected_[i].end(), streams.out[i].begin(), streams.out[i].end());
    }
  }

  std::uint64_t words_expected() const {
    std::uint64_t words = 0;
    for (const auto& stream : expected_) words += stream.size() / kLanes;
    return words;
  }

  void check(std::size_t stream, const Word& word) {
    for (int n = 0; n < kLanes; ++n) {
      const bool known = checked_[stream] < expected_[stream].size();
      wrong += !known || expected_[stream][checked_[stream]] != word[n].value();
      ++checked_[stream];
    }
    ++left_;
  }

  Random random_;
  bool stalls_;
  Unit unit_;
  vector::Interpreter interpreter_;
  std::deque<kernels::VectorCommand> commands_;
  std::array<std::vector<std::uint32_t>, 4> in_, expected_;
  std::array<std::size_t, 4> at_{}, checked_{};
  Traffic command_;
  std::array<Traffic, 4> in_traffic_, out_traffic_;
  bool command_valid_ = false;
  std::array<bool, 4> in_valid_{};
  std::uint64_t left_ = 0;
  std::uint64_t busy_clocks_ = 0;
};

}  // namespace systole::tests
