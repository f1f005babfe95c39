#pragma once

#include "hls/kernels/vector/commands.h"

namespace systole::kernels {

/// Makes the unit's commands of instructions or constants that a read stream brings, and refuses
/// illegal instructions.
///
/// Shapes   an instruction is two lanes, its lower half first; a constant is one
/// Timing   a word is taken when the one before has left; one instruction or constant a clock
/// Limits   starts while not busy; the unit runs nothing meanwhile
/// Errors   illegal_command with the instruction's address; nothing goes on until `stop`
template <int kN>
struct VectorProgramLoader {
  using Word = Vec<UInt32, kN>;

  struct Inputs {
    UInt1 start;            ///< a program begins
    VectorProgram program;  ///< instructions or constants in memory
    CommandIndex index;     ///< of the command
    Beat<Word> word;        ///< of the stream that reads the program
    UInt1 stop;             ///< and forget all instructions
  };
  struct Outputs {
    UInt1 word_ready;
    Beat<VectorCommand> command;  ///< to the unit
    UInt<64> loaded;              ///< a bit for each instruction that is there
    EngineFault fault;            ///< the fault that stops the device
    UInt1 busy;                   ///< words of the program are still to come
  };

  Outputs outputs() const {
    const UInt<64> pair = concat(word_[1], word_[0]);
    const UInt<64> single = UInt<64>(word_[0]);
    return {.word_ready = busy_ & ~held_,
            .command = {.valid = held_ & (constants_ | is_legal()),
                        .data = {.kind = constants_ ? UInt<2>(kVectorLoadConstant)
                                                    : UInt<2>(kVectorLoadInstruction),
                                 .place = place_,
                                 .last = UInt<6>(0),
                                 .first_word = UInt32(0),
                                 .data = constants_ ? single : pair}},
            .loaded = loaded_,
            .fault = {.raised = refused_,
                      .code = UInt<4>(kFaultIllegalCommand),
                      .command = index_,
                      .address = address_},
            .busy = busy_};
  }

  void clock(const Inputs& in) {
    const UInt1 sends = held_ & (constants_ | is_legal());
    const UInt1 ends = sends & as_bit(left_ == 1);
    const UInt1 takes = in.word.valid & busy_ & ~held_;
    const UInt1 empties = sends & as_bit(in_word_ == 0);
    refused_ = held_ & ~sends & ~failed_ & ~in.stop;
    failed_ = (failed_ | (held_ & ~sends)) & ~in.stop;

    if (takes) {
#pragma unroll
      for (int n = 0; n < kN; ++n) word_[n] = in.word.data[n];
      in_word_ = constants_ ? Lanes(kN - 1) : Lanes(kN / 2 - 1);
    } else if (sends) {
#pragma unroll
      for (int n = 0; n < kN; ++n) {
        word_[n] = constants_ ? word_[(n + 1) % kN] : word_[(n + 2) % kN];
      }
      in_word_ = truncate<Lanes>(in_word_ - UInt1(1));
    }
    held_ = (takes | (held_ & ~empties)) & ~ends & ~in.stop;

    if (sends & ~constants_) loaded_ = loaded_ | (UInt<64>(1) << place_);
    if (in.start) {
      constants_ = in.program.constants;
      place_ = in.program.place;
      left_ = in.program.count;
      address_ = in.program.address;
      index_ = in.index;
    } else if (sends) {
      place_ = truncate<UInt<6>>(place_ + UInt1(1));
      left_ = truncate<UInt<7>>(left_ - UInt1(1));
      address_ = truncate<Address>(address_ + UInt<4>(8));
    }
    busy_ = (in.start | (busy_ & ~ends)) & ~in.stop;
    if (in.stop) loaded_ = UInt<64>(0);
  }

  void reset() {
    busy_ = UInt1(0);
    held_ = UInt1(0);
    refused_ = UInt1(0);
    failed_ = UInt1(0);
    loaded_ = UInt<64>(0);
  }

 private:
  using Lanes = UInt<index_bits(kN)>;

  UInt1 busy_;
  UInt1 constants_;
  UInt<6> place_;
  UInt<7> left_;
  Address address_;
  CommandIndex index_;
  UInt<64> loaded_;

  UInt1 held_;
  UInt32 word_[kN];
  Lanes in_word_;  ///< instructions or constants after the next one
  UInt1 refused_;
  UInt1 failed_;

  UInt1 is_legal() const { return is_legal_vector_instruction<kN>(concat(word_[1], word_[0])); }
};

}  // namespace systole::kernels
