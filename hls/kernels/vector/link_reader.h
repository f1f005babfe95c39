#pragma once

#include "hls/kernels/vector/link_stream.h"

namespace systole::kernels {

/// Words that may have come from a neighbour before the unit takes them: enough for the clocks in
/// which a micro-program's other instructions go through its slots.
inline constexpr int kLinkWords = 16;

/// Receives tensors from the core above or below as words of N elements: four beats are a word.
///
///     up_in ---+-> word -> words -> word
///     down_in -'
///
/// Timing   a word is offered 2 clocks after its last beat came; one beat a clock. A clock passes
///          between two streams
/// Limits   `patience` holds still. With `stop`, which stays until `idle`, what both neighbours
///          offer is taken and dropped, and the words are; `draining` tells of that a clock later,
///          also where `stop` has ended, and is no work of the core
/// Errors   link_stall in the clock after the neighbour has offered nothing for `patience` clocks
///          and one; link_length where the neighbour's stream ends before this one or goes on after
///          it. Each is raised for one clock; nothing is taken after it until `stop`
template <int kN, bool kData = true>
struct VectorLinkReader {
  using Word = Carried<Vec<UInt32, kN>, kData>;

  struct Inputs {
    Beat<LinkStream> stream;            ///< a tensor to receive
    Beat<LinkBeat<kN, kData>> up_in;    ///< from the core above
    Beat<LinkBeat<kN, kData>> down_in;  ///< from the core below
    UInt32 patience;                    ///< clocks that a neighbour may offer nothing
    UInt1 stop;                         ///< drop everything
    UInt1 word_ready;
  };
  struct Outputs {
    UInt1 stream_ready;
    UInt1 up_in_ready;
    UInt1 down_in_ready;
    Beat<Word> word;       ///< N elements of 32 bits
    EngineFault fault;     ///< the fault that stops the device
    UInt1 idle;            ///< nothing is under way
    UInt1 draining;        ///< in the clock before, something was dropped
    UInt1 waits;           ///< in the clock before, the neighbour offered nothing
    CommandIndex command;  ///< of the last stream
  };

  Outputs outputs() const {
    const UInt1 wants = active_ & has_room();
    return {.stream_ready = ~active_ & ~failed_,
            .up_in_ready = stopping_ | (wants & ~is_down_),
            .down_in_ready = stopping_ | (wants & is_down_),
            .word = words_.outputs().pop,
            .fault = fault_,
            .idle = ~active_ & ~failed_ & ~full_ & ~words_.outputs().pop.valid,
            .draining = draining_,
            .waits = patience_.waits,
            .command = command_};
  }

  void clock(const Inputs& in) {
    Beat<LinkBeat<kN, kData>> beat = in.up_in;
    if (is_down_) beat = in.down_in;
    const UInt1 takes = active_ & has_room() & ~in.stop & ~stopping_;
    const UInt1 comes = beat.valid & takes;
    const UInt1 ends_word = as_bit(part_ == kLinkBeatsOfWord - 1);
    const UInt1 ends = ends_word & left_.is_last();
    const UInt1 differs = comes & as_bit(beat.data.last != ends);
    const UInt1 stalls = patience_.move(takes & ~beat.valid, in.patience);
    const UInt1 fails = differs | stalls;
    const UInt1 starts = in.stream.valid & ~active_ & ~failed_ & ~in.stop;
    const UInt1 moves = full_ & words_.outputs().push_ready;

    fault_.raised = fails;
    if (fails) {
      fault_ = {.raised = UInt1(1),
                .code = differs ? UInt<4>(kFaultLinkLength) : UInt<4>(kFaultLinkStall),
                .command = command_,
                .address = Address(0)};
    }
    Word word;
    if constexpr (kData) word = word_of<kN>(held_);
    words_.clock({.push = {.valid = full_, .data = word}, .pop_ready = in.word_ready | in.stop});
    full_ = ((comes & ends_word & ~differs) | (full_ & ~moves)) & ~in.stop;
    if (comes) {
      if constexpr (kData) {
        held_ = concat(beat.data.lanes, slice<32 * kN - 1, kLinkBits<kN>>(held_));
      }
      if (ends_word) left_.move();
    }
    if (starts) {
      left_.start(in.stream.data);
      is_down_ = in.stream.data.is_down;
      command_ = in.stream.data.command;
    }
    failed_ = fails | (failed_ & ~in.stop);
    part_ = starts ? UInt<2>(0) : truncate<UInt<2>>(part_ + comes);
    active_ = (starts | (active_ & ~(comes & ends) & ~fails)) & ~in.stop;
    draining_ = in.stop & (in.up_in.valid | in.down_in.valid);
    stopping_ = in.stop;
  }

  void reset() {
    words_.reset();
    patience_.reset();
    active_ = UInt1(0);
    full_ = UInt1(0);
    part_ = UInt<2>(0);
    fault_.raised = UInt1(0);
    failed_ = UInt1(0);
    draining_ = UInt1(0);
    stopping_ = UInt1(0);
  }

 private:
  UInt1 active_;   ///< beats of a stream are to come
  UInt1 is_down_;  ///< from the core below
  UInt<2> part_;   ///< of the word, the next beat
  UInt1 full_;     ///< all of a word is there
  Carried<UInt<32 * kN>, kData> held_;
  WordsLeft<kN> left_;
  LinkPatience patience_;
  Fifo<Word, kLinkWords> words_;
  CommandIndex command_;
  EngineFault fault_;
  UInt1 failed_;  ///< and `stop` has not come yet
  UInt1 draining_;
  UInt1 stopping_;  ///< `stop` was there in the clock before

  UInt1 has_room() const { return ~full_ | words_.outputs().push_ready; }
};

}  // namespace systole::kernels
