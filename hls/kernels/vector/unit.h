#pragma once

#include "hls/kernels/engine.h"
#include "hls/kernels/vector/alu.h"
#include "hls/kernels/vector/operands.h"
#include "systole/hls/memory.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/ram.h"
#include "systole/hls/stream.h"

namespace systole::kernels {

/// The words of a group: each instruction goes through all of them before the next one, so that a
/// result is there when the next instruction asks for it.
inline constexpr int kVectorSlots = 8;
inline constexpr int kVectorInstructions = 64;
inline constexpr int kVectorOutDepth = 16;
/// Clocks from an instruction's issue to the first at which its result is read from the registers.
/// The instruction after it, in the same slot, may be issued earlier: then the result is forwarded.
inline constexpr int kVectorLatency = kVectorStages + 3;
static_assert(kVectorStages + 1 == kVectorSlots,
              "a result leaves its lane when the next instruction's operands are chosen");

/// What the unit is told. Loads wait for the end of a run.
struct VectorCommand {
  UInt<2> kind;       ///< kVectorLoadInstruction, kVectorLoadConstant or kVectorRun
  UInt<6> place;      ///< of the instruction or constant; of the run's first instruction
  UInt<6> last;       ///< the run's last instruction
  UInt32 first_word;  ///< the run's, in its tensor
  UInt<64> data;      ///< an instruction; a constant; words, and above them words a row
};
inline constexpr int kVectorLoadInstruction = 0;
inline constexpr int kVectorLoadConstant = 1;
inline constexpr int kVectorRun = 2;

/// The vector engine's lanes and their micro-program: words of kLanes elements from four streams to
/// four streams. docs/vector.md.
///
/// Shapes   a word has kLanes elements of 32 bits, a power of two of them. Without kData the unit
///          counts clocks and computes nothing
/// Limits   first <= last instruction; a slot exchange neither takes nor sends words, and its
///          target is not its operand b
/// Timing   a run of W words and I instructions takes 1 + 8 ceil(W / 8) I clocks from the one after
///          its command, and kVectorLatency - 1 before each slot exchange behind another
///          instruction, longer only where a stream makes it wait; a result leaves kVectorLatency
///          clocks after its issue, and `busy` lasts until the last one is in its register
/// Numbers  vector_alu; registers keep their values from run to run
template <int kLanes, bool kData = true>
struct VectorUnit {
  static_assert(kLanes >= 2 && (kLanes & (kLanes - 1)) == 0, "lanes are a power of two");
  using Lanes = Vec<UInt32, kLanes>;
  using Word = Carried<Lanes, kData>;

  struct Inputs {
    Beat<VectorCommand> command;  ///< an instruction, a constant or a run
    Beat<Word> in0;               ///< words of input stream 0
    Beat<Word> in1;               ///< words of input stream 1
    Beat<Word> in2;               ///< words of input stream 2
    Beat<Word> in3;               ///< words of input stream 3
    UInt1 out0_ready;
    UInt1 out1_ready;
    UInt1 out2_ready;
    UInt1 out3_ready;
  };
  struct Outputs {
    UInt1 command_ready;
    UInt1 in0_ready;
    UInt1 in1_ready;
    UInt1 in2_ready;
    UInt1 in3_ready;
    Beat<Word> out0;        ///< words of output stream 0
    Beat<Word> out1;        ///< words of output stream 1
    Beat<Word> out2;        ///< words of output stream 2
    Beat<Word> out3;        ///< words of output stream 3
    UInt1 busy;             ///< a run or one of its results is under way
    UInt<4> holds;          ///< inputs that have brought words which no run has taken
    UInt1 wait_for_input;   ///< for the counter: waits for a word of an input stream
    UInt1 wait_for_output;  ///< for the counter: waits for room in an output stream
  };

  Outputs outputs() const {
    return {.command_ready = ~active_,
            .in0_ready = in0_.outputs().push_ready,
            .in1_ready = in1_.outputs().push_ready,
            .in2_ready = in2_.outputs().push_ready,
            .in3_ready = in3_.outputs().push_ready,
            .out0 = out0_.outputs().pop,
            .out1 = out1_.outputs().pop,
            .out2 = out2_.outputs().pop,
            .out3 = out3_.outputs().pop,
            .busy = active_ | as_bit(!(pending_ == 0)),
            .holds = concat(concat(offered(UInt<2>(3)), offered(UInt<2>(2))),
                            concat(offered(UInt<2>(1)), offered(UInt<2>(0)))),
            .wait_for_input = wait_for_input_,
            .wait_for_output = wait_for_output_};
  }

  void clock(const Inputs& in) {
    const VectorInstruction now = now_;
    const VectorInstruction next = decode_vector(store_.outputs().read_data);
    const Issue issue = decide(now);

    if constexpr (kData) {
      Lanes result;
#pragma unroll
      for (int n = 0; n < kLanes; ++n) result[n] = lanes_[n].output();
      const Operands read = access_registers(issue, now, result);
      send(in, issue, now, result);
      for (int n = 0; n < kLanes; ++n) lanes_[n].clock(task_, a_[n], b_[n], c_[n]);
      select(read, result);
      for (int n = 0; n < kLanes; ++n) last_result_[n] = result[n];
    } else {
      send(in, issue, now, {});
    }
    fetch(issue, now);
    take(in, issue, now);
    load(in.command, now);
    advance(in.command, issue, next);
  }

  void reset() {
    active_ = UInt1(0);
    primed_ = UInt1(0);
    pending_ = UInt<kVectorStages + 2>(0);
    wait_for_input_ = UInt1(0);
    wait_for_output_ = UInt1(0);
    for (int i = 0; i < 4; ++i) {
      space_[i] = Space(kVectorOutDepth);
      promised_[i] = UInt1(0);
    }
    issued_.valid = UInt1(0);
    for (int i = 0; i <= kVectorStages; ++i) flight_[i].valid = UInt1(0);
    in0_.reset();
    in1_.reset();
    in2_.reset();
    in3_.reset();
    out0_.reset();
    out1_.reset();
    out2_.reset();
    out3_.reset();
  }

 private:
  using Slot = UInt<3>;
  using Place = UInt<7>;  ///< a register of a slot
  using Space = UInt<5>;
  using Registers = Ram<Lanes, kVectorRegisters * kVectorSlots>;
  using Constants = SinglePortRam<UInt32, kVectorConstants>;

  /// What happens at the head of the program in this clock.
  struct Issue {
    UInt1 moves;
    UInt1 has_word;  ///< a group's last slots may be empty
    UInt1 takes;
    UInt1 sends;
    UInt1 is_last_slot;
    UInt1 is_last;  ///< instruction of the run
  };
  /// What goes along with a word through its lane.
  struct Flight {
    UInt1 valid;
    UInt1 writes;
    Place target;
    UInt<3> out;
  };
  struct Operands {
    Lanes a;
    Lanes b;
    Lanes c;
  };
  /// An instruction between its issue and its operands.
  struct Fetch {
    VectorTask task;
    OperandSource a;
    OperandSource b;
    OperandSource c;
    UInt<4> exchange;
  };

  UInt1 active_;
  UInt1 primed_;  ///< the run's instruction is in `now_`
  VectorInstruction now_;
  UInt1 takes_word_;
  UInt1 crosses_slots_;
  UInt<6> first_;
  UInt<6> last_;
  UInt<6> counter_;
  Slot slot_;
  UInt32 words_left_;
  UInt1 is_whole_;  ///< the group has a word in every slot
  UInt32 words_a_row_;
  WordPosition group_;  ///< of slot 0
  WordPosition here_;
  UInt<kVectorStages + 2> pending_;  ///< a bit for each clock until a result is written
  UInt1 wait_for_input_;
  UInt1 wait_for_output_;
  Space space_[4];     ///< words that an output queue can take beyond those under way
  UInt1 promised_[4];  ///< in the clock before, a place that `space_` still counts

  Flight issued_;
  Fetch fetch_;
  UInt32 stream_[kLanes];
  Flight flight_[kVectorStages + 1];
  UInt32 last_result_[kLanes];
  VectorTask task_;
  UInt32 a_[kLanes];
  UInt32 b_[kLanes];
  UInt32 c_[kLanes];

  SinglePortRam<UInt<64>, kVectorInstructions> store_;
  Constants constants_a_;
  Constants constants_b_;
  Constants constants_c_;
  Registers registers_a_;
  Registers registers_b_;
  Registers registers_c_;
  Pipeline<&vector_alu, kVectorStages> lanes_[kLanes];
  Fifo<Word, 2> in0_;
  Fifo<Word, 2> in1_;
  Fifo<Word, 2> in2_;
  Fifo<Word, 2> in3_;
  Fifo<Word, kVectorOutDepth> out0_;
  Fifo<Word, kVectorOutDepth> out1_;
  Fifo<Word, kVectorOutDepth> out2_;
  Fifo<Word, kVectorOutDepth> out3_;

  UInt1 offered(const UInt<2>& stream) const {
    switch (stream.value()) {
      case 0:
        return in0_.outputs().pop.valid;
      case 1:
        return in1_.outputs().pop.valid;
      case 2:
        return in2_.outputs().pop.valid;
      default:
        return in3_.outputs().pop.valid;
    }
  }

  Word head(const UInt<2>& stream) const {
    switch (stream.value()) {
      case 0:
        return in0_.outputs().pop.data;
      case 1:
        return in1_.outputs().pop.data;
      case 2:
        return in2_.outputs().pop.data;
      default:
        return in3_.outputs().pop.data;
    }
  }

  UInt1 is_full(const VectorInstruction& now) const {
    switch (now.out.value()) {
      case 1:
        return is_full(0);
      case 2:
        return is_full(1);
      case 3:
        return is_full(2);
      default:
        return is_full(3);
    }
  }
  UInt1 is_full(int stream) const {
    const bool is_last = space_[stream] == Space(1) && promised_[stream];
    return as_bit(space_[stream] == 0 || is_last);
  }

  static bool crosses_slots(const VectorInstruction& instruction) {
    return instruction.exchange >= UInt<4>(kExchangeSlot);
  }

  Issue decide(const VectorInstruction& now) {
    const UInt1 has_word = is_whole_ | as_bit(slot_ < slice<2, 0>(words_left_));
    const UInt1 takes = has_word & takes_word_;
    const UInt1 sends = has_word & as_bit(!(now.out == 0));
    wait_for_input_ = primed_ & takes & ~offered(now.in);
    wait_for_output_ = primed_ & sends & is_full(now);
    // What an exchange reads from another slot may still be under way.
    const bool drains = crosses_slots_ && slot_ == 0 && !(pending_ == 0);
    return {.moves = primed_ & ~wait_for_input_ & ~wait_for_output_ & as_bit(!drains),
            .has_word = has_word,
            .takes = takes,
            .sends = sends,
            .is_last_slot = as_bit(slot_ == Slot(kVectorSlots - 1)),
            .is_last = as_bit(counter_ == last_)};
  }

  /// Writes the word that leaves its lanes, reads for the instruction that is issued, and returns
  /// what was read for the one before.
  Operands access_registers(const Issue& issue, const VectorInstruction& now, const Lanes& result) {
    const Flight done = flight_[kVectorStages];
    const UInt1 writes = done.valid & done.writes;
    const UInt<2> bit_of_slot = truncate<UInt<2>>(now.exchange - UInt<4>(kExchangeSlot));
    const Slot distance = crosses_slots_ ? Slot(1) << bit_of_slot : Slot(0);
    const auto port = [&](const UInt<6>& source, const Slot& slot) {
      return typename Registers::Inputs{.read_enable = issue.moves,
                                        .read_address = concat(slice<3, 0>(source), slot),
                                        .write_enable = writes,
                                        .write_address = done.target,
                                        .write_data = result};
    };
    return {.a = registers_a_.clock(port(now.a, slot_)).read_data,
            .b = registers_b_.clock(port(now.b, slot_ ^ distance)).read_data,
            .c = registers_c_.clock(port(now.c, slot_)).read_data};
  }

  void send(const Inputs& in, const Issue& issue, const VectorInstruction& now,
            const Word& result) {
    const Flight done = flight_[kVectorStages];
    const UInt1 taken[4] = {
        out0_.outputs().pop.valid & in.out0_ready, out1_.outputs().pop.valid & in.out1_ready,
        out2_.outputs().pop.valid & in.out2_ready, out3_.outputs().pop.valid & in.out3_ready};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      space_[i] = truncate<Space>(space_[i] + taken[i] - promised_[i]);
      promised_[i] = issue.moves & issue.sends & as_bit(now.out == UInt<3>::from(i + 1U));
    }
    const auto push = [&](unsigned stream) {
      return Beat<Word>{.valid = done.valid & as_bit(done.out == UInt<3>::from(stream + 1)),
                        .data = result};
    };
    out0_.clock({.push = push(0), .pop_ready = in.out0_ready});
    out1_.clock({.push = push(1), .pop_ready = in.out1_ready});
    out2_.clock({.push = push(2), .pop_ready = in.out2_ready});
    out3_.clock({.push = push(3), .pop_ready = in.out3_ready});
  }

  /// A result may not be in the registers yet when they are read: the one that will leave its lane
  /// when the operands are chosen, or the one that leaves now.
  OperandSource find(const UInt<6>& source) const {
    const Place place = concat(slice<3, 0>(source), slot_);
    const auto brings = [&](const Flight& flight) {
      return flight.valid & flight.writes & as_bit(is_register(source) && flight.target == place);
    };
    return source_of<kLanes>(source, brings(flight_[kVectorStages - 1]),
                             brings(flight_[kVectorStages]), here_);
  }
  /// Operands from what was fetched; operand b may come from another lane.
  void select(const Operands& read, const Lanes& result) {
    const UInt32 constant_a = constants_a_.outputs().read_data;
    const UInt32 constant_b = constants_b_.outputs().read_data;
    const UInt32 constant_c = constants_c_.outputs().read_data;
    Lanes b;
#pragma unroll
    for (int n = 0; n < kLanes; ++n) {
      const auto pick = [&](const OperandSource& source, const UInt32& register_read,
                            const UInt32& constant) {
        return pick_operand<kLanes>(source,
                                    {.result = result[n],
                                     .last_result = last_result_[n],
                                     .from_register = register_read,
                                     .from_stream = stream_[n],
                                     .from_constant = constant},
                                    n);
      };
      a_[n] = pick(fetch_.a, read.a[n], constant_a);
      b[n] = pick(fetch_.b, read.b[n], constant_b);
      c_[n] = pick(fetch_.c, read.c[n], constant_c);
    }
    const Lanes exchanged = exchange_lanes<kLanes>(fetch_.exchange, b);
#pragma unroll
    for (int n = 0; n < kLanes; ++n) b_[n] = exchanged[n];
    task_ = fetch_.task;
  }

  void fetch(const Issue& issue, const VectorInstruction& now) {
    const OperandSource a = find(now.a);
    const OperandSource b = find(now.b);
    const OperandSource c = find(now.c);
    for (int i = kVectorStages; i > 0; --i) flight_[i] = flight_[i - 1];
    flight_[0] = issued_;
    issued_ = {.valid = issue.moves & issue.has_word,
               .writes = now.writes,
               .target = concat(now.target, slot_),
               .out = now.out};
    fetch_ = {.task = {.operation = now.operation,
                       .mode = now.mode,
                       .negate_product = now.negate_product,
                       .negate_addend = now.negate_addend},
              .a = a,
              .b = b,
              .c = c,
              .exchange = now.exchange};
    pending_ = concat(slice<kVectorStages, 0>(pending_), issue.moves);
  }

  void take(const Inputs& in, const Issue& issue, const VectorInstruction& now) {
    if constexpr (kData) {
      const Word word = head(now.in);
#pragma unroll
      for (int n = 0; n < kLanes; ++n) stream_[n] = word[n];
    }
    const auto pop = [&](unsigned stream) {
      return issue.moves & issue.takes & as_bit(now.in == UInt<2>::from(stream));
    };
    in0_.clock({.push = in.in0, .pop_ready = pop(0)});
    in1_.clock({.push = in.in1, .pop_ready = pop(1)});
    in2_.clock({.push = in.in2, .pop_ready = pop(2)});
    in3_.clock({.push = in.in3, .pop_ready = pop(3)});
  }

  /// The memories of the program: written between runs, read in them. While an instruction is
  /// issued, the one after it is read.
  void load(const Beat<VectorCommand>& command, const VectorInstruction& now) {
    const UInt1 loads = command.valid & ~active_;
    const auto& data = command.data;
    const UInt1 is_instruction = as_bit(data.kind == UInt<2>(kVectorLoadInstruction));
    const UInt1 is_constant = as_bit(data.kind == UInt<2>(kVectorLoadConstant));
    const UInt<6> idle_place = data.place;
    store_.clock({.enable = UInt1(1),
                  .write_enable = loads & is_instruction,
                  .address = active_ ? place_after() : idle_place,
                  .write_data = data.data});
    if constexpr (kData) {
      const auto port = [&](const UInt<6>& source) {
        return typename Constants::Inputs{
            .enable = UInt1(1),
            .write_enable = loads & is_constant,
            .address = active_ ? slice<4, 0>(source) : slice<4, 0>(data.place),
            .write_data = slice<31, 0>(data.data)};
      };
      constants_a_.clock(port(now.a));
      constants_b_.clock(port(now.b));
      constants_c_.clock(port(now.c));
    }
  }

  /// Of the instruction after this one.
  UInt<6> place_after() const {
    return counter_ == last_ ? first_ : truncate<UInt<6>>(counter_ + UInt1(1));
  }

  void advance(const Beat<VectorCommand>& command, const Issue& issue,
               const VectorInstruction& next) {
    const auto& run = command.data;
    const UInt1 ends_instruction = issue.moves & issue.is_last_slot;
    if (ends_instruction | ~primed_) {
      now_ = next;
      takes_word_ = as_bit(takes_word(next));
      crosses_slots_ = as_bit(crosses_slots(next));
    }
    if (!active_) {
      const bool starts = command.valid && run.kind == UInt<2>(kVectorRun);
      const UInt32 words = slice<31, 0>(run.data);
      active_ = as_bit(starts && !(words == 0));
      first_ = run.place;
      last_ = run.last;
      counter_ = run.place;
      slot_ = Slot(0);
      words_left_ = words;
      is_whole_ = as_bit(words >= UInt32(kVectorSlots));
      words_a_row_ = slice<63, 32>(run.data);
      group_ = {.column = UInt32(0), .row = UInt32(0), .word = run.first_word};
      here_ = group_;
    } else if (!primed_) {
      primed_ = UInt1(1);
    } else if (issue.moves) {
      const WordPosition following = after(here_);
      const UInt1 ends_group = issue.is_last_slot & issue.is_last;
      if (ends_instruction) counter_ = place_after();
      slot_ = truncate<Slot>(slot_ + UInt1(1));
      here_ = issue.is_last_slot & ~issue.is_last ? group_ : following;
      if (ends_group) {
        group_ = following;
        const bool is_done = words_left_ <= UInt32(kVectorSlots);
        active_ = as_bit(!is_done);
        primed_ = as_bit(!is_done);
        words_left_ = truncate<UInt32>(words_left_ - UInt32(kVectorSlots));
        is_whole_ = as_bit(words_left_ >= UInt32(kVectorSlots));
      }
    }
  }

  WordPosition after(const WordPosition& at) const {
    const UInt32 column = truncate<UInt32>(at.column + UInt1(1));
    const bool ends_row = column == words_a_row_;
    return {.column = ends_row ? UInt32(0) : column,
            .row = ends_row ? truncate<UInt32>(at.row + UInt1(1)) : at.row,
            .word = truncate<UInt32>(at.word + UInt1(1))};
  }
};

}  // namespace systole::kernels
