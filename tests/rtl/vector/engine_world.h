#pragma once

#include <deque>
#include <memory>

#include "hls/kernels/vector/engine.h"
#include "tests/rtl/vector/engine_neighbour.h"
#include "tests/rtl/vector/streams.h"
#include "tests/rtl/vector/unit_world.h"

namespace systole::tests {

/// The fields of a 128-bit command, from bit 0 on.
class CommandBits {
 public:
  explicit CommandBits(int opcode, unsigned wait = 0, unsigned signal = 0) {
    put(0, static_cast<std::uint64_t>(opcode)).put(8, wait).put(11, signal);
  }
  CommandBits& put(int place, std::uint64_t value) {
    word_ = word_ | (kernels::CommandWord(hls::UInt<64>::from(value))
                     << hls::UInt<7>::from(static_cast<unsigned>(place)));
    return *this;
  }
  kernels::CommandWord word() const { return word_; }

 private:
  kernels::CommandWord word_{0};
};

inline CommandBits program_command(std::uint64_t address, bool constants, std::size_t count,
                                   unsigned place = 0) {
  return CommandBits(kernels::kOpcodeVectorProgram)
      .put(16, address)
      .put(56, place)
      .put(62, constants)
      .put(64, count);
}
inline CommandBits stream_command(const kernels::VectorStream& stream, unsigned number, bool writes,
                                  unsigned wait = 0, unsigned signal = 0) {
  return CommandBits(kernels::kOpcodeVectorStream, wait, signal)
      .put(16, stream.address.value())
      .put(56, stream.row_stride.value())
      .put(88, stream.rows.value())
      .put(104, stream.cols.value())
      .put(120, number)
      .put(122, writes)
      .put(123, stream.format.value())
      .put(125, stream.broadcasts.value());
}
inline CommandBits link_command(const kernels::VectorStream& stream, bool writes, int end,
                                unsigned wait = 0) {
  return CommandBits(kernels::kOpcodeVectorStream, wait)
      .put(88, stream.rows.value())
      .put(104, stream.cols.value())
      .put(120, 3)
      .put(122, writes)
      .put(123, kernels::kStreamWord)
      .put(126, static_cast<unsigned>(end));
}
inline CommandBits run_command(std::size_t instructions, const vector::Interpreter::Run& run,
                               int lanes) {
  return CommandBits(kernels::kOpcodeVectorRun)
      .put(24, instructions - 1)
      .put(32, run.words)
      .put(64, run.first_element / static_cast<std::uint32_t>(lanes))
      .put(96, run.words_a_row);
}

/// Commands, tokens and memory around a vector engine, and what the interpreter says that memory
/// must hold at the end.
template <int kN>
class EngineWorld {
 public:
  using Engine = kernels::VectorEngine<kN>;
  using Streams = std::array<kernels::VectorStream, 4>;
  static constexpr std::uint64_t kOutputs = BusMemory<kN>::kBase + 0x2'0000;
  static constexpr std::uint64_t kPrograms = BusMemory<kN>::kBase + 0x7'0000;

  EngineWorld(std::uint64_t seed, typename BusMemory<kN>::Options options, bool stalls)
      : memory(seed, options), expected(memory.bytes), random_(seed), stalls_(stalls) {
    engine_->reset();
    for (int i = 0; i < kernels::kWindowCount; ++i) windows[i].open = hls::UInt1(0);
    open_all();
  }

  void open_all() {
    windows[0] = {.base = kernels::Address(0), .end = ~kernels::Address(0), .open = hls::UInt1(1)};
  }
  void push(const CommandBits& command) {
    commands_.push_back({.word = command.word(), .index = hls::UInt16::from(index_++)});
  }

  /// Commands that load a program, which this writes to memory.
  void load(const vector::Program& program) {
    program_ = program;
    if (!program.constants.empty()) {
      push(program_command(place_program(program.constants), true, program.constants.size()));
    }
    std::vector<std::uint32_t> halves;
    for (const vector::Instruction& code : program.code) {
      halves.push_back(static_cast<std::uint32_t>(code.encode()));
      halves.push_back(static_cast<std::uint32_t>(code.encode() >> 32));
    }
    push(program_command(place_program(halves), false, program.code.size()));
  }

  /// Commands that run the program on streams; those that it does not use are left out.
  void run(const vector::Interpreter::Run& run, const Streams& in, const Streams& out) {
    vector::Interpreter::Streams lanes;
    std::array<std::vector<std::uint32_t>, 4> taken;
    for (unsigned i = 0; i < 4; ++i) {
      if (words_in(i) == 0) continue;
      const int end = draw_end(i);
      taken[i] = end == 0 ? expected_lanes(memory, in[i]) : random_lanes(in[i]);
      lanes.in[i] = taken[i];
      // Bit 3 of wait lies apart: everything before is written.
      const unsigned wait = random_.below(8) | (random_.below(4) == 0 ? 1U << 6 : 0U);
      for (int engine = 0; engine < 3; ++engine) tokens_to_come_[engine] += wait >> engine & 1;
      push(end == 0 ? stream_command(in[i], i, false, wait)
                    : link_command(in[i], false, end, wait));
      if (end != 0) neighbours[neighbour_at(end)].send(taken[i]);
    }
    interpreter_.run(program_, run, lanes);
    for (unsigned i = 0; i < 4; ++i) {
      if (words_out(i) == 0) continue;
      if (const int end = draw_end(i); end != 0) {
        push(link_command(out[i], true, end));
        neighbours[neighbour_at(end)].expect(lanes.out[i]);
        continue;
      }
      const unsigned signal = random_.below(8);
      for (int engine = 0; engine < 3; ++engine) tokens_expected[engine] += signal >> engine & 1;
      push(stream_command(out[i], i, true, 0, signal));
      expect(out[i], lanes.out[i]);
    }
    push(run_command(program_.code.size(), run, kN));
  }

  void clear_registers() {
    vector::Program program;
    for (std::uint8_t i = 0; i < kernels::kVectorRegisters; ++i) {
      program.code.push_back({.operation = vector::VectorOperation::kXor,
                              .a = kernels::kSourceElement,
                              .target = i,
                              .writes = true});
    }
    for (int i = 0; i < kernels::kVectorConstants; ++i)
      program.constants.push_back(random_.bits32());
    load(program);
    run({.words = 8}, {}, {});
  }

  /// A random program on random tensors.
  void add_random() {
    vector::Program program;
    for (std::uint32_t i = 1 + random_.below(12); i > 0; --i) {
      vector::Instruction code = random_instruction(random_, kN);
      const bool compares = code.operation == vector::VectorOperation::kCompare;
      const bool has_two = code.operation == vector::VectorOperation::kToInteger ||
                           code.operation == vector::VectorOperation::kSeed;
      code.mode = static_cast<std::uint8_t>(random_.below(compares ? 6 : has_two ? 2 : 1));
      program.code.push_back(code);
    }
    for (int i = 0; i < kernels::kVectorConstants; ++i)
      program.constants.push_back(random_.bits32());
    load(program);
    const std::uint32_t words = 1 + random_.below(12);
    Streams in, out;
    for (unsigned i = 0; i < 4; ++i) {
      in[i] = tensor(words * words_in(i), BusMemory<kN>::kBase + random_.below(0x4000), 3);
      in[i].broadcasts = hls::as_bit(random_.below(4) == 0);
      out[i] = tensor(words * words_out(i), next_output_, 4);
      next_output_ += out[i].rows.value() * out[i].row_stride.value() + random_.below(64);
    }
    run({.words = words,
         .words_a_row = 1 + random_.below(5),
         .first_element = random_.below(1 << 20) * kN},
        in, out);
  }

  bool is_idle() const { return static_cast<bool>(engine_->outputs().idle) && !memory.owes(); }
  bool is_done() const { return commands_.empty() && is_idle(); }
  bool is_right() const {
    return memory.bytes == expected && tokens_given == tokens_expected && neighbours[0].is_done() &&
           neighbours[1].is_done() && neighbours[0].wrong == 0 && neighbours[1].wrong == 0;
  }
  /// Forgets what was to come, when the engine is idle after a stop.
  void restart() {
    commands_.clear();
    expected = memory.bytes;
    neighbours[0].restart(static_cast<bool>(engine_->outputs().up_out.valid));
    neighbours[1].restart(static_cast<bool>(engine_->outputs().down_out.valid));
    tokens_ = tokens_to_come_ = tokens_given = tokens_expected = {};
    offered_ = stop = false;
    next_output_ = kOutputs;
    next_program_ = kPrograms;
    interpreter_ = vector::Interpreter(kN);
  }

  typename Engine::Inputs clock() {
    const auto out = engine_->outputs();
    typename Engine::Inputs in{};
    offered_ = !commands_.empty() && (offered_ || !stalls_ || random_.below(4) == 0);
    in.command.valid = hls::as_bit(offered_);
    if (offered_) in.command.data = commands_.front();
    for (unsigned engine = 0; engine < 3; ++engine) {
      if (tokens_to_come_[engine] > 0 && (!stalls_ || random_.below(16) == 0)) {
        --tokens_to_come_[engine];
        ++tokens_[engine];
      }
      in.tokens = in.tokens | kernels::EngineBits::from((tokens_[engine] > 0 ? 1U : 0U) << engine);
      tokens_[engine] -= static_cast<int>(out.taken.value() >> engine & 1);
      tokens_given[engine] += static_cast<int>(out.given.value() >> engine & 1);
    }
    in.read_windows = in.write_windows = windows;
    in.stop = hls::as_bit(stop);
    in.read_burst_ready = memory.ready();
    in.read = memory.beat();
    in.write_burst_ready = memory.ready();
    in.write_ready = memory.ready();
    in.response_valid = memory.answers();
    in.response_error = in.response_valid & memory.answers_error();
    meet_neighbours(out, in);
    if (offered_ && out.command_ready) {
      commands_.pop_front();
      offered_ = false;
    }
    if (out.fault.raised) {
      ++faults;
      fault = out.fault;
    }
    waits = static_cast<bool>(out.waits);
    busy_clocks += static_cast<bool>(out.busy);
    memory.observe_read(out.read_burst, in.read_burst_ready, in.read.valid);
    memory.observe_write(out.write_burst, in.write_burst_ready, out.write, in.write_ready);
    memory.tick();
    engine_->clock(in);
    ++clocks;
    return in;
  }

  bool links = false;  ///< streams of number 3 may go to and come from neighbours
  std::uint32_t patience = 10'000;
  std::array<EngineNeighbour<kN>, 2> neighbours;  ///< above, below
  BusMemory<kN> memory;
  std::vector<std::uint8_t> expected;
  kernels::Windows windows;
  bool stop = false;
  bool waits = false;
  int faults = 0;
  kernels::EngineFault fault{};
  std::uint64_t clocks = 0;
  std::uint64_t busy_clocks = 0;
  std::uint64_t link_waits = 0;
  std::array<int, 3> tokens_given{}, tokens_expected{};

 private:
  static std::size_t neighbour_at(int end) {
    return end == kernels::kVectorStreamEndUp ? std::size_t{0} : std::size_t{1};
  }
  /// Where stream i ends.
  int draw_end(unsigned i) {
    return links && i == 3 ? static_cast<int>(random_.below(3)) : kernels::kVectorStreamEndMemory;
  }
  std::vector<std::uint32_t> random_lanes(const kernels::VectorStream& stream) {
    const std::size_t words = stream.rows.value() * ((stream.cols.value() + kN - 1) / kN);
    std::vector<std::uint32_t> lanes(words * kN);
    for (std::uint32_t& lane : lanes) lane = random_.bits32();
    return lanes;
  }
  void meet_neighbours(const typename Engine::Outputs& out, typename Engine::Inputs& in) {
    in.link_patience = hls::UInt32::from(patience);
    if (!links) return;
    in.up_in = neighbours[0].offer(random_, stalls_);
    in.down_in = neighbours[1].offer(random_, stalls_);
    in.up_out_ready = hls::as_bit(!stalls_ || random_.below(3) == 0);
    in.down_out_ready = hls::as_bit(!stalls_ || random_.below(3) == 0);
    if (in.up_in.valid && out.up_in_ready) neighbours[0].sent();
    if (in.down_in.valid && out.down_in_ready) neighbours[1].sent();
    if (out.up_out.valid && in.up_out_ready) neighbours[0].take(out.up_out.data);
    if (out.down_out.valid && in.down_out_ready) neighbours[1].take(out.down_out.data);
    link_waits +=
        static_cast<bool>(out.link_wait_for_beat) + static_cast<bool>(out.link_wait_for_room);
  }

  /// Words of stream `i` that the program takes or sends for each word of a run.
  std::uint32_t words_in(unsigned i) const {
    std::uint32_t words = 0;
    for (const vector::Instruction& code : program_.code) {
      words += vector::takes_word(code) && code.in == i;
    }
    return words;
  }
  std::uint32_t words_out(unsigned i) const {
    std::uint32_t words = 0;
    for (const vector::Instruction& code : program_.code) words += code.out == i + 1;
    return words;
  }

  /// A tensor of so many words: one row, or a row for each word.
  kernels::VectorStream tensor(std::uint32_t words, std::uint64_t address, std::uint32_t formats) {
    if (words == 0) return {};
    const bool one_row = random_.below(2) == 0;
    const std::uint32_t cols = (one_row ? words * kN : kN) - random_.below(kN);
    return {.address = kernels::Address::from(address),
            .row_stride = hls::UInt32::from(4 * cols + random_.below(40)),
            .rows = hls::UInt16::from(one_row ? 1 : words),
            .cols = hls::UInt16::from(cols),
            .format = hls::UInt<2>::from(random_.below(formats)),
            .broadcasts = hls::UInt1(0),
            .command = hls::UInt16(0)};
  }

  std::uint64_t place_program(const std::vector<std::uint32_t>& words) {
    const std::uint64_t address = next_program_ + random_.below(8);
    std::uint64_t place = address;
    for (const std::uint32_t word : words) {
      for (int i = 0; i < 4; ++i, ++place) {
        memory.at(place) = static_cast<std::uint8_t>(word >> 8 * i);
        expected[place - BusMemory<kN>::kBase] = memory.at(place);
      }
    }
    next_program_ = place;
    return address;
  }

  void expect(const kernels::VectorStream& stream, const std::vector<std::uint32_t>& lanes) {
    const unsigned bytes = stream_bytes(stream);
    std::size_t lane = 0;
    for (std::uint64_t row = 0; row < stream.rows.value(); ++row) {
      std::uint64_t place =
          stream.address.value() - BusMemory<kN>::kBase + row * stream.row_stride.value();
      for (unsigned col = 0; col < stream.cols.value(); ++col, ++lane) {
        const std::uint32_t element =
            written_element(static_cast<int>(stream.format.value()), lanes.at(lane));
        for (unsigned i = 0; i < bytes; ++i, ++place) {
          expected[place] = static_cast<std::uint8_t>(element >> 8 * i);
        }
      }
      lane = (lane + kN - 1) / kN * kN;
    }
  }

  Random random_;
  bool stalls_;
  std::unique_ptr<Engine> engine_ = std::make_unique<Engine>();
  vector::Interpreter interpreter_{kN};
  vector::Program program_;
  std::deque<kernels::Command> commands_;
  std::array<int, 3> tokens_{}, tokens_to_come_{};
  std::uint64_t next_output_ = kOutputs;
  std::uint64_t next_program_ = kPrograms;
  std::uint32_t index_ = 0;
  bool offered_ = false;
};

}  // namespace systole::tests
