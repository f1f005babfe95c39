#pragma once

#include "systole/hls/stream.h"

namespace systole::tests {

using namespace systole::hls;

/// A word that is one of two structs, by its lowest bits, and a queue of one of them.
class Views {
 public:
  struct Move {
    UInt<8> place;
    UInt<6> type;  ///< a keyword of SystemVerilog
    UInt<1> interrupt;
  };
  struct Turn {
    UInt<8> angle;
    UInt<5> speed;
  };
  struct Inputs {
    UInt<20> word;
    UInt<8> other;
    UInt1 push;
    UInt1 pop;
  };
  struct Outputs {
    UInt<8> place;
    UInt<8> angle;
    UInt<6> type;
    UInt<5> queued;
    UInt1 raised;
  };

  static Move decode_move(const UInt<20>& word) {
    return {
        .place = slice<9, 2>(word), .type = slice<15, 10>(word), .interrupt = slice<19, 19>(word)};
  }
  static Turn decode_turn(const UInt<20>& word) {
    return {.angle = slice<9, 2>(word), .speed = slice<16, 12>(word)};
  }
  static bool is_move(const UInt<20>& word) {
    const Move move = decode_move(word);
    return slice<1, 0>(word) == 1 && move.place != 0 && move.type <= 40;
  }
  static bool is_turn(const UInt<20>& word) {
    const Turn turn = decode_turn(word);
    return slice<1, 0>(word) == 2 && turn.angle != 0 && turn.speed <= 20;
  }

  Outputs outputs() const {
    return {.place = place_, .angle = angle_, .type = type_, .queued = queued_, .raised = raised_};
  }
  void clock(const Inputs& in) {
    const auto front = queue_.outputs().pop;
    raised_ = as_bit(is_move(in.word) || is_turn(in.word));
    if (is_move(in.word)) {
      const Move move = decode_move(in.word);
      place_ = move.place;
      type_ = move.type;
      raised_ = move.interrupt;
    }
    if (is_turn(in.word)) angle_ = decode_turn(in.word).angle;
    if (front.valid) queued_ = front.data.speed;
    // Bits of several words are no view of one.
    const Turn gathered = {.angle = in.other, .speed = slice<4, 0>(in.word)};
    queue_.clock({.push = {.valid = in.push, .data = gathered}, .pop_ready = in.pop});
    if (front.valid && front.data.angle == 7) angle_ = in.other;
  }
  void reset() {
    queue_.reset();
    place_ = UInt<8>(0);
    angle_ = UInt<8>(0);
    type_ = UInt<6>(0);
    queued_ = UInt<5>(0);
    raised_ = UInt1(0);
  }

 private:
  Fifo<Turn, 4> queue_;
  UInt<8> place_;
  UInt<8> angle_;
  UInt<6> type_;
  UInt<5> queued_;
  UInt1 raised_;
};

}  // namespace systole::tests
