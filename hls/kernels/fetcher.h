#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// Reads the commands between its own place and the ring's tail from memory, in order.
///
///     next -> address -> window -> burst        a clock each, and one command a clock
///
/// Timing   up to kAhead commands are under way or wait to be taken; a read of 16 bytes for each,
///          offered 3 clocks after the tail names it
/// Errors   read_window, and read_error where any beat of a command fails, with the command's index
///          and address; ring_overrun when the tail is further ahead of the commands handed on than
///          the ring is long
template <int kBus>
class Fetcher {
 public:
  static constexpr int kAhead = 16;

  struct Inputs {
    Ring ring;                   ///< where the commands lie
    CommandIndex head;           ///< commands that have been handed on
    Windows windows;             ///< memory that the host has opened
    UInt1 stop;                  ///< fetch no more, drop what arrives; what waits is taken as ever
    UInt1 clear;                 ///< start over at index 0
    UInt1 burst_ready;           ///< the burst offered is taken
    UInt1 read_valid;            ///< a beat for the fetcher; it is always taken
    Vec<UInt8, kBus> read_data;  ///< the beat that carries a command
    UInt1 read_error;            ///< the beat failed
    UInt1 read_last;             ///< the burst's last beat
    UInt1 command_ready;
  };
  struct Outputs {
    Beat<Burst> burst;      ///< the read of one command
    Beat<Command> command;  ///< to the sequencer
    EngineFault fault;      ///< the fault that stops the device
    UInt1 idle;             ///< nothing is under way and no command waits
    CommandIndex next;      ///< index of the next command to fetch
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

    // A command is owed from its request until it is taken or dropped.
    const bool drops = in.stop || in.clear;
    const bool asks = ask(in);
    const UInt1 dropped = as_bit(arrives && (in.stop || error));
    const UInt<2> unasked = drops ? asked_.valid + checked_.valid : UInt<2>(0);
    const UInt1 refused = offer(in, asks, drops);
    const UInt<2> gone = as_bit(popped) + dropped;
    owed_ = truncate<Owed>(owed_ + as_bit(asks) - gone - (unasked + refused));
    mask_ = truncate<CommandIndex>(length_of(in.ring) - UInt1(1));
    const CommandIndex ahead = truncate<CommandIndex>(in.ring.tail - in.head);
    // While it drops, the tail is one that a reset is about to drop too.
    overrun_ = as_bit(ahead > length_of(in.ring) && !drops);
    if (in.clear) {
      next_ = CommandIndex(0);
      arrived_ = CommandIndex(0);
    }
  }

  void reset() {
    commands_.reset();
    burst_valid_ = UInt1(0);
    asked_.valid = UInt1(0);
    checked_.valid = UInt1(0);
    blocked_ = UInt1(0);
    overrun_ = UInt1(0);
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
  Address address_of(const Ring& ring, const CommandIndex& index) const {
    return truncate<Address>(ring.base + concat(index & mask_, UInt<4>(0)));
  }

  /// Which 16 bytes of its beat a command is; one of two at least.
  using Place = UInt<kBus <= 32 ? 1 : index_bits(kBus / 16)>;
  static Place place_of(const Address& address) { return slice<3 + Place::kWidth, 4>(address); }

  /// A command on its way to its burst.
  struct Request {
    UInt1 valid;
    CommandIndex index;
    Address address;
  };

  bool moves(const Inputs& in) const { return !blocked_ && (!burst_valid_ || in.burst_ready); }

  /// Whether the next command is asked for in this clock.
  bool ask(const Inputs& in) const {
    return moves(in) && !in.stop && !in.clear && next_ != in.ring.tail && owed_ != Owed(kAhead);
  }

  /// Offers the burst whose window was checked, and moves the requests behind it up; says whether
  /// it was refused.
  UInt1 offer(const Inputs& in, bool asks, bool drops) {
    const bool goes = moves(in);
    const bool allowed = around_.contain();
    const bool wanted = goes && checked_.valid && !drops;
    const bool refused = wanted && (!allowed || overrun_);
    if (!burst_valid_ || in.burst_ready) {
      burst_valid_ = as_bit(wanted && allowed && !overrun_);
      burst_ = {.address = checked_.address, .beats_less_one = UInt8(kBeats - 1)};
    }
    if (wanted && !allowed) raise(kFaultReadWindow, checked_.index, checked_.address);
    if (overrun_ && !drops) raise(kFaultRingOverrun, in.head, Address(0));
    blocked_ = as_bit((blocked_ || refused) && !drops);

    if (goes) {
      const Address last = truncate<Address>(asked_.address + UInt<4>(15));
      checked_ = asked_;
      around_ = windows_around(in.windows, asked_.address, last);
      asked_ = {.valid = as_bit(asks), .index = next_, .address = address_of(in.ring, next_)};
      if (asks) next_ = truncate<CommandIndex>(next_ + UInt1(1));
    }
    if (drops) {
      asked_.valid = UInt1(0);
      checked_.valid = UInt1(0);
    }
    return as_bit(refused);
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
  Request asked_;
  Request checked_;
  WindowsAround around_;  // what is checked
  UInt1 blocked_;         // a fault has been raised
  UInt1 overrun_;
  CommandIndex mask_;
  CommandIndex next_;     // the next command to ask for
  CommandIndex arrived_;  // the next command to arrive
  Owed owed_;
  BeatBits earlier_[kBeats == 1 ? 1 : kBeats - 1];  // beats of it, where it has several
  UInt1 failed_;                                    // one of them came with an error
  EngineFault fault_;
};

}  // namespace systole::kernels
