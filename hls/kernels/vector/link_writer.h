#pragma once

#include "hls/kernels/vector/link_stream.h"

namespace systole::kernels {

/// Beats that may wait for a neighbour.
inline constexpr int kLinkBeats = 8;

/// Sends words of N elements to the core above or below, each as four beats.
///
///     word -> beats -> offered -+-> up_out
///                               `-> down_out
///
/// Timing   a beat is offered 3 clocks after its word was taken; one beat a clock. The next stream
///          is taken when the neighbour has all beats of the one before
/// Limits   `patience` holds still. With `stop`, which stays until `idle`, everything is dropped
///          but the beat that is offered: it goes before the beats of the next stream
/// Errors   link_stall in the clock after the neighbour has taken nothing for `patience` clocks and
///          one, raised for one clock; nothing goes on after it until `stop`
template <int kN, bool kData = true>
struct VectorLinkWriter {
  using Word = Carried<Vec<UInt32, kN>, kData>;

  struct Inputs {
    Beat<LinkStream> stream;  ///< a tensor to send
    Beat<Word> word;          ///< N elements of 32 bits
    UInt1 up_out_ready;
    UInt1 down_out_ready;
    UInt32 patience;  ///< clocks that a neighbour may take nothing
    UInt1 stop;       ///< drop everything
  };
  struct Outputs {
    UInt1 stream_ready;
    UInt1 word_ready;
    Beat<LinkBeat<kN, kData>> up_out;    ///< to the core above
    Beat<LinkBeat<kN, kData>> down_out;  ///< to the core below
    EngineFault fault;                   ///< the fault that stops the device
    UInt1 idle;                          ///< nothing is under way
    UInt1 waits;                         ///< in the clock before, the neighbour took nothing
    CommandIndex command;                ///< of the last stream
  };

  Outputs outputs() const {
    return {.stream_ready = is_idle(),
            .word_ready = word_ready(),
            .up_out = {.valid = offers_ & ~goes_down_, .data = offered_},
            .down_out = {.valid = offers_ & goes_down_, .data = offered_},
            .fault = fault_,
            .idle = is_idle(),
            .waits = patience_.waits,
            .command = command_};
  }

  void clock(const Inputs& in) {
    UInt1 is_taken = in.up_out_ready;
    if (goes_down_) is_taken = in.down_out_ready;
    const auto next = beats_.outputs().pop;
    const UInt1 stays = offers_ & ~is_taken;
    const UInt1 waits = stays & (~is_left_ | next.valid) & ~failed_ & ~in.stop;
    const UInt1 fails = patience_.move(waits, in.patience);
    const UInt1 starts = in.stream.valid & is_idle() & ~in.stop;
    const UInt1 takes = in.word.valid & word_ready() & ~in.stop;
    const UInt1 moves = packed_valid_ & beats_.outputs().push_ready;
    const UInt1 is_last = left_.is_last();
    const UInt1 ends_word = moves & is_last_part();

    fault_.raised = fails;
    if (fails) {
      fault_ = {.raised = UInt1(1),
                .code = UInt<4>(kFaultLinkStall),
                .command = command_,
                .address = Address(0)};
    }
    failed_ = fails | (failed_ & ~in.stop);
    beats_.clock(
        {.push = {.valid = packed_valid_, .data = next_beat()}, .pop_ready = ~stays | in.stop});
    if (~stays) {
      offered_ = next.data;
      goes_down_ = is_down_;
    }
    offers_ = stays | (next.valid & ~in.stop);
    is_left_ = stays & (is_left_ | in.stop);
    if (takes) {
      if constexpr (kData) packed_ = bits_of(in.word.data);
      is_last_word_ = is_last;
      left_.move();
    } else if (moves) {
      if constexpr (kData) packed_ = packed_ >> UInt<12>(kLinkBits<kN>);
    }
    if (takes) {
      parts_left_ = UInt<2>(kLinkBeatsOfWord - 1);
    } else if (moves) {
      parts_left_ = truncate<UInt<2>>(parts_left_ - UInt1(1));
    }
    packed_valid_ = (takes | (packed_valid_ & ~ends_word)) & ~in.stop;
    if (starts) {
      left_.start(in.stream.data);
      is_down_ = in.stream.data.is_down;
      command_ = in.stream.data.command;
    }
    active_ = (starts | (active_ & ~(takes & is_last))) & ~in.stop;
  }

  void reset() {
    beats_.reset();
    patience_.reset();
    active_ = UInt1(0);
    packed_valid_ = UInt1(0);
    fault_.raised = UInt1(0);
    failed_ = UInt1(0);
    offers_ = UInt1(0);
    is_left_ = UInt1(0);
  }

 private:
  UInt1 active_;   ///< words of a stream are to come
  UInt1 is_down_;  ///< to the core below
  WordsLeft<kN> left_;
  CommandIndex command_;

  // A word as beats; the next one is lowest.
  UInt1 packed_valid_;
  UInt<2> parts_left_;  ///< after the next one
  UInt1 is_last_word_;
  Carried<UInt<32 * kN>, kData> packed_;

  Fifo<LinkBeat<kN, kData>, kLinkBeats> beats_;

  // The beat that is offered.
  UInt1 offers_;
  UInt1 goes_down_;
  UInt1 is_left_;  ///< from before a stop
  LinkBeat<kN, kData> offered_;

  LinkPatience patience_;
  EngineFault fault_;
  UInt1 failed_;  ///< and `stop` has not come yet

  UInt1 is_idle() const {
    return ~active_ & ~packed_valid_ & ~beats_.outputs().pop.valid & (~offers_ | is_left_) &
           ~failed_;
  }
  UInt1 is_last_part() const { return as_bit(parts_left_ == 0); }
  UInt1 word_ready() const {
    return active_ & (~packed_valid_ | (is_last_part() & beats_.outputs().push_ready));
  }

  LinkBeat<kN, kData> next_beat() const {
    LinkBeat<kN, kData> beat;
    if constexpr (kData) beat.lanes = slice<kLinkBits<kN> - 1, 0>(packed_);
    beat.last = is_last_word_ & is_last_part();
    return beat;
  }
};

}  // namespace systole::kernels
