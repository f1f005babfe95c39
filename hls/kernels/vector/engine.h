#pragma once

#include "hls/kernels/at_rest.h"
#include "hls/kernels/vector/burst_arbiter.h"
#include "hls/kernels/vector/link_reader.h"
#include "hls/kernels/vector/link_writer.h"
#include "hls/kernels/vector/program_loader.h"
#include "hls/kernels/vector/read_stream.h"
#include "hls/kernels/vector/unit_drain.h"
#include "hls/kernels/vector/write_stream.h"

namespace systole::kernels {

/// The vector engine: takes commands (commands.h), reads four streams, runs micro-programs on their
/// words, and writes four streams. docs/vector.md.
///
///     commands -> streams 0 .. 3 -> VectorReadStream -+-> VectorUnit -> VectorWriteStream -> AW, W
///            `--> programs ----> stream 0 -> loader --'                                       B
///                 up_in, down_in -> VectorLinkReader -'-- 3 ... 3 -> VectorLinkWriter -> up_out,
///                                                                                        down_out
///
/// Shapes   kN lanes, kBus bytes on the bus; ports as the other engines have them
/// Timing   a command starts a clock after it came, if it need not wait: a program for the end of
///          the run and of stream 0, a stream for the one before on its port to have sent its last
///          burst or taken its last word, a run for the program and the run before it. A stream
///          from a neighbour starts when all words of input 3 have been taken, and one to a
///          neighbour when it has all of the one before. The unit's clocks are unit.h's Tokens are
///          given in the order of the commands that signal
/// Limits   commands are legal. `waits` says that nothing moves but what the bus owes: a command
///          lacks tokens, or streams have other lengths than the runs need, and no neighbour is
///          waited for. Answers come in the order of bursts. Without kData only clocks are counted;
///          programs are read all the same
/// Errors   illegal_command for an instruction, or for a run over instructions that are not there;
///          read_window, read_error, write_window, write_error; link_stall, link_length
///          (link_reader.h, link_writer.h). Each is raised for one clock. With
///          `stop` everything is dropped, and the run goes on to its end on zeros; programs are
///          forgotten
template <int kN, bool kData = true, int kBus = kN>
struct VectorEngine {
  using Unit = VectorUnit<kN, kData>;
  using Word = typename Unit::Word;

  struct Inputs {
    Beat<Command> command;      ///< vector commands in the order of the ring
    EngineBits tokens;          ///< bit e: engine e has given a token that is not taken
    Windows read_windows;       ///< memory that the host has opened for reading
    Windows write_windows;      ///< memory that the host has opened for writing
    UInt1 stop;                 ///< drop everything and finish the run on zeros
    UInt1 read_burst_ready;     ///< the read burst offered is taken
    Beat<ReadBeat<kBus>> read;  ///< beats on R, in the order of the bursts
    UInt1 write_burst_ready;    ///< the write burst offered is taken
    UInt1 write_ready;
    UInt1 response_valid;               ///< an answer on B
    UInt1 response_error;               ///< the answer reports a failed write
    Beat<LinkBeat<kN, kData>> up_in;    ///< from the core above
    Beat<LinkBeat<kN, kData>> down_in;  ///< from the core below
    UInt1 up_out_ready;
    UInt1 down_out_ready;
    UInt32 link_patience;  ///< clocks that a stream waits for a neighbour
  };
  struct Outputs {
    UInt1 command_ready;
    EngineBits taken;         ///< tokens taken at this edge, a bit for each engine that gave one
    EngineBits given;         ///< tokens given at this edge, a bit for each engine that gets one
    Beat<Burst> read_burst;   ///< on AR
    Beat<Burst> write_burst;  ///< on AW
    Beat<WriteBeat<kBus, kData>> write;  ///< on W
    UInt1 up_in_ready;
    UInt1 down_in_ready;
    Beat<LinkBeat<kN, kData>> up_out;    ///< to the core above
    Beat<LinkBeat<kN, kData>> down_out;  ///< to the core below
    EngineFault fault;                   ///< the fault that stops the device
    UInt1 idle;                          ///< nothing is held, under way or owed by the bus
    UInt1 draining;                      ///< in the clock before, a neighbour's beat was dropped
    UInt1 waits;                         ///< nothing can move but what the bus owes
    CommandIndex waiting_command;        ///< index of the command that waits for a token
    UInt1 busy;                          ///< the unit runs
    UInt1 wait_for_load;                 ///< for the counter: waits for a token from load
    UInt1 wait_for_compute;              ///< for the counter: waits for a token from compute
    UInt1 wait_for_store;                ///< for the counter: waits for a token from store
    UInt1 wait_for_vector;               ///< for what was written before
    UInt1 wait_for_input;                ///< for the counter: waits for a word of an input stream
    UInt1 wait_for_output;               ///< for the counter: waits for room in an output stream
    UInt1 link_wait_for_beat;            ///< for the counter: waits for a beat of a neighbour
    UInt1 link_wait_for_room;            ///< for the counter: a neighbour does not take a beat
  };

  Outputs outputs() const {
    const auto unit = unit_.outputs();
    const auto receiver = receiver_.outputs();
    const auto sender = sender_.outputs();
    const UInt1 idle = quiet_ & ~held_valid_ & ~drain_.outputs().active;
    const UInt1 lacks = as_bit(!(lacks_ == 0));
    return {.command_ready = ~held_valid_ & ~drain_.outputs().active,
            .taken = taken_,
            .given = given_,
            .read_burst = read_burst(),
            .write_burst = write_burst(),
            .write = write(),
            .up_in_ready = receiver.up_in_ready,
            .down_in_ready = receiver.down_in_ready,
            .up_out = sender.up_out,
            .down_out = sender.down_out,
            .fault = fault_,
            .idle = idle,
            .draining = receiver.draining,
            .waits = ~idle & ~drain_.outputs().active & ~loader_.outputs().busy & ~receiver.waits &
                     ~sender.waits &
                     (lacks | ~unit.busy | unit.wait_for_input | unit.wait_for_output),
            .waiting_command = waiting_command(),
            .busy = unit.busy,
            .wait_for_load = slice<kLoadBit, kLoadBit>(lacks_),
            .wait_for_compute = slice<kComputeBit, kComputeBit>(lacks_),
            .wait_for_store = slice<kStoreBit, kStoreBit>(lacks_),
            .wait_for_vector = slice<kVectorBit, kVectorBit>(lacks_),
            .wait_for_input = unit.wait_for_input,
            .wait_for_output = unit.wait_for_output,
            .link_wait_for_beat = receiver.waits,
            .link_wait_for_room = sender.waits};
  }

  void clock(const Inputs& in) {
    const Start start = decide(in);
    const auto drain = drain_.outputs();
    const auto unit = unit_.outputs();
    const auto unit_inputs = inputs_of_unit(in, start);
    const auto program_word = reader0_.outputs().word;
    const UInt1 starts =
        start.program | start.read | start.write | start.run | start.receive | start.send;
    const UInt1 rests = quiet_;
    judge(in, starts | start.refused);
    look_around();

    clock_reads(in, start, rests);
    give(start.write, in.stop);
    clock_writes(in, start, rests);
    clock_links(in, start);
    unit_.clock(unit_inputs);
    drain_.clock(
        {.stop = in.stop & used_,
         .unit_busy = unit.busy,
         .inputs_full = ~(unit.in0_ready | unit.in1_ready | unit.in2_ready | unit.in3_ready)});
    loader_.clock({.start = start.program,
                   .program = program_of(held_),
                   .index = held_.index,
                   .word = program_word,
                   .stop = in.stop});

    if (start.run) run_ = held_.index;
    used_ = (used_ | start.program | start.read | start.run | start.receive) & ~drain.active;
    started_ = starts;
    taken_ = starts ? wait_of(held_.word) & kOthers : EngineBits(0);
    lacks_ = start.lacks;
    refused_ = start.refused;
    failed_ = (failed_ | start.refused) & ~in.stop;
    if (start.refused) refused_command_ = held_.index;
    const UInt1 takes = in.command.valid & ~held_valid_ & ~drain.active;
    if (takes) held_ = in.command.data;
    held_valid_ = (takes | (held_valid_ & ~starts)) & ~in.stop;
  }

  void reset() {
    each([&]<int i>() {
      reader<i>().reset();
      writer<i>().reset();
      written_[i] = UInt<5>(0);
    });
    receiver_.reset();
    sender_.reset();
    signals_.reset();
    reading_.reset();
    writing_.reset();
    answering_.reset();
    asked_ = Asked(0);
    may_ask_ = UInt1(1);
    unit_.reset();
    drain_.reset();
    loader_.reset();
    held_valid_ = UInt1(0);
    taken_ = EngineBits(0);
    given_ = EngineBits(0);
    lacks_ = EngineBits(0);
    used_ = UInt1(0);
    refused_ = UInt1(0);
    failed_ = UInt1(0);
    fault_.raised = UInt1(0);
    quiet_ = UInt1(1);
    started_ = UInt1(0);
    unread_ = UInt<4>(0);
    unwritten_ = UInt<4>(0);
    receives_ = UInt1(0);
    sends_ = UInt1(0);
    judged_.valid = UInt1(0);
  }

 private:
  /// A program is data on which clocks depend: stream 0, which brings it, always has data.
  using ProgramReader = Simulated<VectorReadStream<kN, true, kBus>, kData>;
  using StreamReader = Simulated<VectorReadStream<kN, kData, kBus>, kData>;
  using StreamWriter = Simulated<VectorWriteStream<kN, kData, kBus>, kData>;
  using LinkReader = Simulated<VectorLinkReader<kN, kData>, kData>;
  using LinkWriter = Simulated<VectorLinkWriter<kN, kData>, kData>;
  static constexpr EngineBits kOthers = EngineBits(7);
  static constexpr int kSignals = 16;  ///< output streams whose signals are to come
  static constexpr int kReads = 64;    ///< bursts under way
  static constexpr int kWrites = 64;   ///< bursts whose answers are to come
  using Asked = UInt<index_bits(kWrites + 1)>;

  /// What happens to the command that is held.
  struct Start {
    UInt1 program;
    UInt1 read;
    UInt1 write;
    UInt1 receive;  ///< from a neighbour
    UInt1 send;     ///< to a neighbour
    UInt1 run;
    UInt1 refused;
    EngineBits lacks;  ///< tokens
    VectorStream stream;
    UInt<2> number;  ///< of the stream
  };

  /// What an output stream gives when it and all before it are written.
  struct Signal {
    UInt<2> number;
    EngineBits engines;
  };

  ProgramReader reader0_;
  StreamReader reader1_;
  StreamReader reader2_;
  StreamReader reader3_;
  StreamWriter writer0_;
  StreamWriter writer1_;
  StreamWriter writer2_;
  StreamWriter writer3_;
  LinkReader receiver_;  ///< for input 3
  LinkWriter sender_;    ///< from output 3
  Fifo<Signal, kSignals> signals_;
  UInt<5> written_[4];  ///< streams of a number whose signals are to come
  BurstArbiter<kReads> reading_;
  BurstArbiter<8> writing_;
  Fifo<UInt<2>, kWrites> answering_;  ///< whose burst is answered next
  Asked asked_;                       ///< bursts whose answers are to come
  UInt1 may_ask_;                     ///< for another answer
  Unit unit_;
  VectorUnitDrain drain_;
  VectorProgramLoader<kN> loader_;

  UInt1 held_valid_;
  Command held_;
  EngineFault fault_;
  CommandIndex run_;  ///< the command of the last run
  UInt1 used_;        ///< the unit may hold words
  EngineBits taken_;
  EngineBits given_;
  EngineBits lacks_;
  UInt1 refused_;
  CommandIndex refused_command_;
  UInt1 failed_;

  /// What was found about the command that is held, a clock after it came.
  struct Judged {
    UInt1 valid;
    UInt1 is_program;
    UInt1 reads;
    UInt1 writes;
    UInt1 receives;
    UInt1 sends;
    UInt1 is_run;
    UInt1 legal;
    EngineBits missing;  ///< tokens
  };
  Judged judged_;

  // How things stood a clock before; a reader tells of yet another clock before. Commands start
  // three clocks apart at least, so what one of them occupies shows before the next one looks.
  UInt1 quiet_;
  UInt1 started_;    ///< a command did
  UInt1 programs_;   ///< stream 0 has nothing under way, and the unit no word of it
  UInt<4> readers_;  ///< that take a stream
  UInt<4> writers_;
  UInt<4> unread_;  ///< streams that are under way, or that the unit holds words of
  UInt<4> unwritten_;
  UInt1 receives_;  ///< input 3 takes a stream from a neighbour
  UInt1 sends_;     ///< output 3 takes a stream to a neighbour
  UInt1 runs_;      ///< the unit takes a command

  /// Runs `body` for each stream; hlsc wants modules by name.
  static void each(auto&& body) {
    body.template operator()<0>();
    body.template operator()<1>();
    body.template operator()<2>();
    body.template operator()<3>();
  }
  template <int kStream>
  static auto& pick(auto& zero, auto& one, auto& two, auto& three) {
    if constexpr (kStream == 0)
      return zero;
    else if constexpr (kStream == 1)
      return one;
    else if constexpr (kStream == 2)
      return two;
    else
      return three;
  }
  template <int kStream>
  auto& reader() {
    return pick<kStream>(reader0_, reader1_, reader2_, reader3_);
  }
  template <int kStream>
  const auto& reader() const {
    return pick<kStream>(reader0_, reader1_, reader2_, reader3_);
  }
  template <int kStream>
  auto& writer() {
    return pick<kStream>(writer0_, writer1_, writer2_, writer3_);
  }
  template <int kStream>
  const auto& writer() const {
    return pick<kStream>(writer0_, writer1_, writer2_, writer3_);
  }

  Start decide(const Inputs& in) const {
    const VectorProgramCommand program = decode_vector_program(held_.word);
    const VectorStreamCommand stream = decode_vector_stream(held_.word);

    // Streams and programs that start while the device stops are dropped where they go.
    const UInt1 goes = judged_.valid & judged_.legal & as_bit(judged_.missing == 0);

    Start start;
    start.program = goes & judged_.is_program & programs_;
    start.read = goes & judged_.reads & bit_of(readers_, stream.number);
    start.write = goes & judged_.writes & bit_of(writers_, stream.number);
    start.receive = goes & judged_.receives & receives_;
    start.send = goes & judged_.sends & sends_;
    start.run = goes & judged_.is_run & runs_ & ~in.stop;
    start.refused = judged_.valid & ~judged_.legal & ~in.stop;
    start.lacks = judged_.valid & judged_.legal ? judged_.missing : EngineBits(0);
    start.number = judged_.is_program ? UInt<2>(0) : stream.number;
    start.stream = stream_of(held_);
    if (judged_.is_program) {
      start.stream.rows = UInt16(1);
      start.stream.cols =
          program.constants ? UInt16(program.count) : UInt16(concat(program.count, UInt1(0)));
      start.stream.format = UInt<2>(kStreamWord);
      start.stream.broadcasts = UInt1(0);
    }
    return start;
  }

  static UInt1 bit_of(const UInt<4>& bits, const UInt<2>& number) {
    return truncate<UInt1>(bits >> number);
  }

  /// A token that comes stays until it is taken, and shows as taken two clocks after that, before
  /// the next command is judged.
  void judge(const Inputs& in, const UInt1& leaves) {
    const Opcode opcode = opcode_of(held_.word);
    const UInt1 is_stream = as_bit(opcode == kOpcodeVectorStream);
    const UInt1 is_run = as_bit(opcode == kOpcodeVectorRun);
    const VectorStreamCommand stream = decode_vector_stream(held_.word);
    const UInt1 is_link = as_bit(!(stream.end == kVectorStreamEndMemory));
    const auto loader = loader_.outputs();
    const UInt1 all_written = ~signals_.outputs().pop.valid;
    const EngineBits there = concat(all_written, slice<2, 0>(in.tokens));
    // A run is judged when its program has come.
    judged_ = {.valid = held_valid_ & ~leaves & ~in.stop & ~failed_ & ~drain_.outputs().active &
                        (~is_run | ~loader.busy) & as_bit(taken_ == 0),
               .is_program = as_bit(opcode == kOpcodeVectorProgram),
               .reads = is_stream & ~stream.writes & ~is_link,
               .writes = is_stream & stream.writes & ~is_link,
               .receives = is_stream & ~stream.writes & is_link,
               .sends = is_stream & stream.writes & is_link,
               .is_run = is_run,
               .legal = ~is_run | is_loaded(decode_vector_run(held_.word), loader.loaded),
               .missing = wait_of(held_.word) & ~there};
  }

  void look_around() {
    fault_ = first_fault();
    quiet_ = is_idle();
    const UInt1 holds = slice<0, 0>(unit_.outputs().holds);
    programs_ = ~unit_.outputs().busy & ~loader_.outputs().busy & reader0_.outputs().idle & ~holds;
    runs_ = unit_.outputs().command_ready;
    readers_ = UInt<4>(0);
    writers_ = UInt<4>(0);
    unread_ = UInt<4>(0);
    unwritten_ = UInt<4>(0);
    each([&]<int i>() {
      const auto number = UInt<2>::from(i);
      UInt1 reads = reader<i>().outputs().stream_ready;
      UInt1 writes = writer<i>().outputs().stream_ready & signals_.outputs().push_ready;
      // Words of memory and those of a neighbour stay in the order of their streams.
      if constexpr (i == 3) {
        reads = reads & receiver_.outputs().idle;
        writes = writes & sender_.outputs().stream_ready;
      }
      readers_ = readers_ | (UInt<4>(reads) << number);
      writers_ = writers_ | (UInt<4>(writes) << number);
      const UInt1 ahead = bit_of(unit_.outputs().holds, number);
      unread_ = unread_ | (UInt<4>(~reader<i>().outputs().idle | ahead) << number);
      unwritten_ = unwritten_ | (UInt<4>(~writer<i>().outputs().idle) << number);
    });
    receives_ = receiver_.outputs().stream_ready & reader3_.outputs().idle;
    sends_ = sender_.outputs().stream_ready & writer3_.outputs().stream_ready;
  }

  /// Of `waits`: a command that lacks tokens, the run under way, a command that lacks room, or the
  /// last one of a stream whose words nobody takes or brings.
  CommandIndex waiting_command() const {
    CommandIndex waiting = held_.index;
    each([&]<int i>() {
      if (bit_of(unwritten_, UInt<2>::from(i))) waiting = writer<i>().outputs().command;
    });
    if (~sender_.outputs().idle) waiting = sender_.outputs().command;
    each([&]<int i>() {
      if (bit_of(unread_, UInt<2>::from(i))) waiting = reader<i>().outputs().command;
    });
    if (~receiver_.outputs().idle) waiting = receiver_.outputs().command;
    if (held_valid_) waiting = held_.index;
    return lacks_ == 0 && unit_.outputs().busy ? run_ : waiting;
  }

  Beat<Burst> read_burst() const {
    const auto reading = reading_.outputs();
    Beat<Burst> burst = reader0_.outputs().burst;
    each([&]<int i>() {
      if (reading.selected == UInt<2>::from(i)) burst = reader<i>().outputs().burst;
    });
    burst.valid = burst.valid & reading.has_room;
    return burst;
  }
  Beat<Burst> write_burst() const {
    const auto writing = writing_.outputs();
    Beat<Burst> burst = writer0_.outputs().burst;
    each([&]<int i>() {
      if (writing.selected == UInt<2>::from(i)) burst = writer<i>().outputs().burst;
    });
    burst.valid = burst.valid & writing.has_room & may_ask_;
    return burst;
  }
  Beat<WriteBeat<kBus, kData>> write() const {
    const auto owner = writing_.outputs().owner;
    Beat<WriteBeat<kBus, kData>> beat = writer0_.outputs().write;
    each([&]<int i>() {
      if (owner.data == UInt<2>::from(i)) beat = writer<i>().outputs().write;
    });
    beat.valid = beat.valid & owner.valid;
    return beat;
  }

  /// The first fault of this clock.
  EngineFault first_fault() const {
    EngineFault found = {.raised = refused_,
                         .code = UInt<4>(kFaultIllegalCommand),
                         .command = refused_command_,
                         .address = Address(0)};
    if (loader_.outputs().fault.raised) found = loader_.outputs().fault;
    each([&]<int i>() {
      if (reader<i>().outputs().fault.raised) found = reader<i>().outputs().fault;
      if (writer<i>().outputs().fault.raised) found = writer<i>().outputs().fault;
    });
    if (receiver_.outputs().fault.raised) found = receiver_.outputs().fault;
    if (sender_.outputs().fault.raised) found = sender_.outputs().fault;
    return found;
  }

  UInt1 is_idle() const {
    const auto unit = unit_.outputs();
    UInt1 idle = receiver_.outputs().idle & sender_.outputs().idle & ~held_valid_ & ~started_ &
                 as_bit(taken_ == 0) & as_bit(given_ == 0) & ~unit.busy & as_bit(unit.holds == 0) &
                 ~(unit.out0.valid | unit.out1.valid | unit.out2.valid | unit.out3.valid) &
                 ~loader_.outputs().busy & ~drain_.outputs().active & ~refused_ &
                 ~signals_.outputs().pop.valid;
    each([&]<int i>() { idle = idle & reader<i>().outputs().idle & writer<i>().outputs().idle; });
    return idle;
  }

  template <int kStream>
  static auto beat_for(const ReadBeat<kBus>& beat) {
    if constexpr (kData || kStream == 0) {
      return beat;
    } else {
      return ReadBeat<kBus, false>{.data = {}, .error = beat.error, .last = beat.last};
    }
  }

  /// Signals in the order of their streams: a stream may be written before an earlier one.
  void give(const UInt1& starts, const UInt1& stop) {
    const auto first = signals_.outputs().pop;
    UInt1 gives(0);
    each([&]<int i>() {
      const UInt1 is_first = first.valid & as_bit(first.data.number == UInt<2>::from(i));
      const UInt1 leaves = is_first & as_bit(written_[i] != 0);
      gives = gives | leaves;
      written_[i] = truncate<UInt<5>>(written_[i] + writer<i>().outputs().written - leaves);
      if (stop) written_[i] = UInt<5>(0);
    });
    given_ = gives & ~stop ? first.data.engines : EngineBits(0);
    signals_.clock({.push = {.valid = starts,
                             .data = {.number = decode_vector_stream(held_.word).number,
                                      .engines = signal_of(held_.word)}},
                    .pop_ready = gives | stop});
  }

  void clock_reads(const Inputs& in, const Start& start, const UInt1& rests) {
    const auto reading = reading_.outputs();
    const auto unit = unit_.outputs();
    const auto loader = loader_.outputs();
    const UInt1 takes[4] = {loader.busy ? loader.word_ready : unit.in0_ready, unit.in1_ready,
                            unit.in2_ready, unit.in3_ready};
    const UInt1 taken = read_burst().valid & in.read_burst_ready;
    UInt<4> offers(0);
    each([&]<int i>() {
      const auto number = UInt<2>::from(i);
      offers = offers | (UInt<4>(reader<i>().outputs().burst.valid) << number);
      const UInt1 starts = (start.read | start.program) & as_bit(start.number == number);
      reader<i>().clock({.stream = {.valid = starts, .data = start.stream},
                         .windows = in.read_windows,
                         .stop = in.stop,
                         .burst_ready = in.read_burst_ready & reading.has_room &
                                        as_bit(reading.selected == number),
                         .read = {.valid = in.read.valid & as_bit(reading.owner.data == number),
                                  .data = beat_for<i>(in.read.data)},
                         .word_ready = takes[i] | in.stop});
    });
    reading_.clock({.offers = offers,
                    .taken = taken,
                    .done = in.read.valid & in.read.data.last,
                    .rests = rests});
  }

  void clock_writes(const Inputs& in, const Start& start, const UInt1& rests) {
    const auto writing = writing_.outputs();
    const auto unit = unit_.outputs();
    const UInt<2> answered = answering_.outputs().pop.data;
    const UInt1 drains = drain_.outputs().active;
    const Beat<Word> words[4] = {unit.out0, unit.out1, unit.out2, unit.out3};
    const UInt1 taken = write_burst().valid & in.write_burst_ready;
    const auto beat = write();
    UInt<4> offers(0);
    each([&]<int i>() {
      const auto number = UInt<2>::from(i);
      const auto shown = writer<i>().outputs();
      const UInt1 is_owner = writing.owner.valid & as_bit(writing.owner.data == number);
      const UInt1 starts = start.write & as_bit(start.number == number);
      offers = offers | (UInt<4>(shown.burst.valid) << number);
      writer<i>().clock({.stream = {.valid = starts, .data = start.stream},
                         .word = {.valid = words[i].valid & ~drains, .data = words[i].data},
                         .windows = in.write_windows,
                         .stop = in.stop,
                         .burst_ready = in.write_burst_ready & writing.has_room & may_ask_ &
                                        as_bit(writing.selected == number),
                         .write_ready = in.write_ready & is_owner,
                         .response_valid = in.response_valid & as_bit(answered == number),
                         .response_error = in.response_error});
    });
    writing_.clock({.offers = offers,
                    .taken = taken,
                    .done = beat.valid & in.write_ready & beat.data.last,
                    .rests = rests});
    answering_.clock(
        {.push = {.valid = taken, .data = writing.selected}, .pop_ready = in.response_valid});
    // Without the answer that comes in this clock, so that neither waits for the other.
    may_ask_ = as_bit(asked_ < (taken ? Asked(kWrites - 1) : Asked(kWrites)));
    asked_ = truncate<Asked>(asked_ + taken - in.response_valid);
  }

  void clock_links(const Inputs& in, const Start& start) {
    const auto unit = unit_.outputs();
    receiver_.clock({.stream = {.valid = start.receive, .data = link_stream_of(held_)},
                     .up_in = in.up_in,
                     .down_in = in.down_in,
                     .patience = in.link_patience,
                     .stop = in.stop,
                     .word_ready = unit.in3_ready | in.stop});
    sender_.clock(
        {.stream = {.valid = start.send, .data = link_stream_of(held_)},
         .word = {.valid = unit.out3.valid & ~drain_.outputs().active, .data = unit.out3.data},
         .up_out_ready = in.up_out_ready,
         .down_out_ready = in.down_out_ready,
         .patience = in.link_patience,
         .stop = in.stop});
  }

  /// Words of memory for input 3, or of a neighbour while there are such.
  Beat<Word> read_or_received() const {
    const auto read = reader3_.outputs().word;
    const auto received = receiver_.outputs().word;
    Beat<Word> word;
    word.valid = read.valid | received.valid;
    if constexpr (kData) {
      word.data = word_of<kN>(received.valid ? bits_of(received.data) : bits_of(read.data));
    }
    return word;
  }

  typename Unit::Inputs inputs_of_unit(const Inputs& in, const Start& start) const {
    const auto drain = drain_.outputs();
    const auto loader = loader_.outputs();
    const UInt1 drops = drain.active | in.stop;
    const VectorRunCommand run = decode_vector_run(held_.word);
    Beat<VectorCommand> command = {.valid = start.run,
                                   .data = {.kind = UInt<2>(kVectorRun),
                                            .place = run.first,
                                            .last = run.last,
                                            .first_word = run.first_word,
                                            .data = concat(run.words_a_row, UInt16(0), run.words)}};
    if (loader.busy) command = loader.command;
    if (drain.active) command = drain.command;
    const auto input = [&]<int i>(const UInt1& closed) {
      auto word = reader<i>().outputs().word;
      if constexpr (i == 3) word = read_or_received();
      Beat<Word> result;
      result.valid = drain.feeds | (word.valid & ~drops & ~closed);
      if constexpr (kData) {
        result.data = word.data;
        if (drain.active) {
#pragma unroll
          for (int n = 0; n < kN; ++n) result.data[n] = UInt32(0);
        }
      }
      return result;
    };
    return {
      .command = command,
      .in0 = input.template operator()<0>(loader.busy),
      .in1 = input.template operator()<1>(UInt1(0)),
      .in2 = input.template operator()<2>(UInt1(0)),
      .in3 = input.template operator()<3>(UInt1(0)),
      .out0_ready = drops | writer0_.outputs().word_ready,
      .out1_ready = drops | writer1_.outputs().word_ready,
      .out2_ready = drops | writer2_.outputs().word_ready,
      .out3_ready = drops | writer3_.outputs().word_ready | sender_.outputs().word_ready
    };
  }
};

}  // namespace systole::kernels
