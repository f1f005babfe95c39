#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// Reads the commands between its own place and the ring's tail from memory, in order.
///
/// Timing   up to kAhead commands are under way or wait to be taken; a read of 16 bytes for each
/// Errors   read_window, and read_error where any beat of a command fails, with the command's index
///          and address; ring_overrun when the tail is further ahead of the commands handed on than
///          the ring is long
template <int kBus>
class Fetcher {
 public:
  static constexpr int kAhead = 16;

  struct Inputs {
    Ring ring;
    CommandIndex head;  ///< commands that have been handed on
    Windows windows;
    UInt1 stop;   ///< fetch no more, drop what arrives; what waits is taken as ever
    UInt1 clear;  ///< start over at index 0
    UInt1 burst_ready;
    UInt1 read_valid;  ///< a beat for the fetcher; it is always taken
    Vec<UInt8, kBus> read_data;
    UInt1 read_error;
    UInt1 read_last;
    UInt1 command_ready;
  };
  struct Outputs {
    Beat<Burst> burst;
    Beat<Command> command;
    EngineFault fault;
    UInt1 idle;  ///< nothing is under way and no command waits
    CommandIndex next;
  };

  Outputs outputs() const {
    return {.burst = {.valid = burst_valid_, .data = burst_},
            .command = commands_.outputs().pop,
            .fault = fault_,
            .idle = as_bit(owed_ == 0 && !burst_valid_),
            .next = next_};
  }

  void clock(const Inputs& in) {
    fault_.raised = UInt1(0);
    const auto front = commands_.outputs().pop;
    const bool popped = front.valid && in.command_ready;
    const bool arrives = in.read_valid && in.read_last;
    // An error on any beat of a command spoils the command.
    const bool error = in.read_error || (kBeats > 1 && failed_);
    const Address arriving_address = address_of(in.ring, arrived_);
    const CommandWord word = assembled(in, place_of(arriving_address));
    commands_.clock({.push = {.valid = as_bit(arrives && !in.stop && !error),
                              .data = {.word = word, .index = arrived_}},
                     .pop_ready = as_bit(popped)});
    if (in.read_valid) {
      if constexpr (kBeats > 1) keep(beat(in));
      failed_ = as_bit(error && !in.read_last);
    }
    if (arrives && error) raise(kFaultReadError, arrived_, arriving_address);
    if (arrives) arrived_ = truncate<CommandIndex>(arrived_ + UInt1(1));

    const bool issued = issue(in);
    // A command is owed from its request until it is taken or dropped.
    const bool dropped = arrives && (in.stop || error);
    owed_ = truncate<Owed>(owed_ + as_bit(issued));
    owed_ = truncate<Owed>(owed_ - as_bit(popped));
    owed_ = truncate<Owed>(owed_ - as_bit(dropped));
    if (in.clear) {
      next_ = CommandIndex(0);
      arrived_ = CommandIndex(0);
    }
  }

  void reset() {
    commands_.reset();
    burst_valid_ = UInt1(0);
    next_ = CommandIndex(0);
    arrived_ = CommandIndex(0);
    owed_ = Owed(0);
    failed_ = UInt1(0);
    fault_.raised = UInt1(0);
  }

 private:
  using Owed = UInt<index_bits(kAhead + 1)>;
  static constexpr int kBeats = kBus < 16 ? 16 / kBus : 1;  ///< that a command takes
  using BeatBits = UInt < kBus<16 ? 8 * kBus : 8>;

  static UInt32 length_of(const Ring& ring) { return UInt32(1) << ring.log2; }
  static Address address_of(const Ring& ring, const CommandIndex& index) {
    const CommandIndex mask = truncate<CommandIndex>(length_of(ring) - UInt1(1));
    return truncate<Address>(ring.base + concat(index & mask, UInt<4>(0)));
  }

  /// Which 16 bytes of its beat a command is; one of two at least.
  using Place = UInt<kBus <= 32 ? 1 : index_bits(kBus / 16)>;
  static Place place_of(const Address& address) { return slice<3 + Place::kWidth, 4>(address); }

  /// Offers the next burst where there is room for its command; says whether it did.
  bool issue(const Inputs& in) {
    const bool free = !burst_valid_ || in.burst_ready;
    const Address address = address_of(in.ring, next_);
    const Address last = truncate<Address>(address + UInt<4>(15));
    const CommandIndex ahead = truncate<CommandIndex>(in.ring.tail - in.head);
    const bool overrun = ahead > length_of(in.ring);
    const bool wanted =
        free && !in.stop && !in.clear && next_ != in.ring.tail && owed_ != Owed(kAhead);
    const bool allowed = is_open(in.windows, address, last);
    const bool issued = wanted && allowed && !overrun;
    if (free) burst_valid_ = as_bit(issued);
    if (issued) {
      burst_ = {.address = address, .beats_less_one = UInt8(kBeats - 1)};
      next_ = truncate<CommandIndex>(next_ + UInt1(1));
    }
    if (wanted && !allowed) raise(kFaultReadWindow, next_, address);
    if (overrun && !in.stop && !in.clear) raise(kFaultRingOverrun, in.head, Address(0));
    return issued;
  }

  /// A beat of a narrow bus, its first byte lowest.
  static BeatBits beat(const Inputs& in) {
    typename BeatBits::Raw bits = 0;
#pragma unroll
    for (int i = 0; i < BeatBits::kWidth / 8; ++i) {
      bits |= static_cast<typename BeatBits::Raw>(in.read_data[i].raw()) << (8 * i);
    }
    return BeatBits::from_raw(bits);
  }

  /// The last of the earlier beats is at the end.
  void keep(const BeatBits& last) {
#pragma unroll
    for (int i = 0; i < kBeats - 2; ++i) earlier_[i] = earlier_[i + 1];
    earlier_[kBeats - 2] = last;
  }

  /// The command that the beats so far and this one make: bytes in rising order.
  CommandWord assembled(const Inputs& in, const Place& place) const {
    CommandWord::Raw word = 0;
    if constexpr (kBus < 16) {
#pragma unroll
      for (int i = 0; i < kBeats - 1; ++i) {
        word |= static_cast<CommandWord::Raw>(earlier_[i].raw()) << (8 * kBus * i);
      }
      word |= static_cast<CommandWord::Raw>(beat(in).raw()) << (128 - 8 * kBus);
    } else {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        UInt8 byte = in.read_data[i];
        for (int part = 1; part < kBus / 16; ++part) {
          if (place == Place::from(part)) byte = in.read_data[16 * part + i];
        }
        word |= static_cast<CommandWord::Raw>(byte.raw()) << (8 * i);
      }
    }
    return CommandWord::from_raw(word);
  }

  void raise(int code, const CommandIndex& index, const Address& address) {
    fault_ = {.raised = UInt1(1),
              .code = UInt<4>::from(static_cast<unsigned>(code)),
              .command = index,
              .address = address};
  }

  Fifo<Command, kAhead> commands_;
  UInt1 burst_valid_;
  Burst burst_;
  CommandIndex next_;     // the next command to ask for
  CommandIndex arrived_;  // the next command to arrive
  Owed owed_;
  BeatBits earlier_[kBeats == 1 ? 1 : kBeats - 1];  // beats of it, where it has several
  UInt1 failed_;                                    // one of them came with an error
  EngineFault fault_;
};

}  // namespace systole::kernels
