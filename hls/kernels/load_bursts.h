#pragma once

#include "hls/kernels/load_parts.h"

namespace systole::kernels {

/// Cuts stretches of memory into bursts, checks each against the windows, and offers it.
///
/// Shapes   a stretch is cut at multiples of kLoadBurstBeats beats. A burst's address is that of
///          its first wanted byte; its first and last wanted byte are checked
/// Timing   a burst is offered 4 clocks after its stretch came at the earliest; one burst a clock
/// Errors   `read_window`: that burst and all after it are not offered, until `stop`
/// Limits   kInFlight bursts are offered or have not had their last beat
template <int kBus>
struct LoadBursts {
  static constexpr int kBurstBytes = kBus * kLoadBurstBeats<kBus>;
  static constexpr int kBlockBits = index_bits(kBurstBytes);
  static constexpr int kLaneBits = index_bits(kBus);
  static constexpr int kInFlight = 255;
  static_assert(kBurstBytes <= 4096, "a burst must not cross 4 KiB");
  using Place = UInt<kBlockBits>;  ///< of a byte in the kBurstBytes that a burst is cut from

  struct Inputs {
    UInt1 stretch_valid;  ///< a stretch is offered
    LoadStretch stretch;  ///< bytes that lie side by side in memory
    UInt1 stop;           ///< drop everything
    Windows windows;      ///< memory that the host has opened
    UInt1 burst_ready;    ///< the burst offered is taken
    UInt1 burst_done;     ///< its last beat has come
  };
  struct Outputs {
    UInt1 stretch_ready;  ///< the stretch is taken
    Beat<Burst> burst;    ///< on AR
    EngineFault fault;    ///< the fault that stops the device
    UInt1 idle;           ///< no stretch is held and no burst is offered
    UInt1 wait_for_bus;   ///< for the counter: waits for the bus
  };

  Outputs outputs() const {
    return {.stretch_ready = stretches_.outputs().push_ready,
            .burst = offered_.outputs().pop,
            .fault = {.raised = refused_,
                      .code = UInt<4>(kFaultReadWindow),
                      .command = refused_command_,
                      .address = refused_address_},
            .idle = ~stretches_.outputs().pop.valid & ~parts_.outputs().pop.valid &
                    ~checked_valid_ & ~refused_ & as_bit(in_flight_ == 0),
            .wait_for_bus = waited_};
  }

  void clock(const Inputs& in) {
    const bool moves = checked_valid_ && offered_.outputs().push_ready && in_flight_ != kInFlight &&
                       !blocked_ && !in.stop;
    waited_ = offered_.outputs().pop.valid & ~in.burst_ready;
    const bool takes_part = !checked_valid_ || moves;
    offer(in, moves);
    if (takes_part) check(in);
    cut(in, takes_part);
    if (in.stop) {
      checked_valid_ = UInt1(0);
      cutting_ = UInt1(0);
      blocked_ = UInt1(0);
    }
  }

  void reset() {
    stretches_.reset();
    parts_.reset();
    offered_.reset();
    checked_valid_ = UInt1(0);
    cutting_ = UInt1(0);
    blocked_ = UInt1(0);
    refused_ = UInt1(0);
    waited_ = UInt1(0);
    in_flight_ = UInt8(0);
  }

 private:
  using BlockAddress = UInt<Address::kWidth - kBlockBits>;

  /// What a burst brings.
  struct Part {
    Address first;
    Place last;  ///< in the block that holds `first`
    CommandIndex command;
  };

  /// A stretch; less one, as its last byte is what it is cut by.
  struct Waiting {
    LoadBytes bytes_less_one;
    Address address;
    CommandIndex command;
  };

  RegisterSlice<Waiting> stretches_;
  UInt1 cutting_;  ///< a part of the stretch that is offered has been cut off
  Address rest_address_;
  LoadBytes rest_less_one_;

  RegisterSlice<Part> parts_;
  UInt1 checked_valid_;
  Part checked_;
  WindowsAround around_;  ///< what is checked

  RegisterSlice<Burst> offered_;
  UInt8 in_flight_;
  UInt1 waited_;

  UInt1 blocked_;
  UInt1 refused_;
  CommandIndex refused_command_;
  Address refused_address_;

  /// The stretch that is offered, or what is left of it, as parts.
  void cut(const Inputs& in, bool takes_part) {
    const Beat<Waiting> front = stretches_.outputs().pop;
    const Address address = cutting_ ? rest_address_ : front.data.address;
    const LoadBytes less_one = cutting_ ? rest_less_one_ : front.data.bytes_less_one;
    const Place place = place_of(address);
    const LoadBytes to_end = ~place;
    // What is left begins at a block, so the two are compared side by side.
    const bool last = cutting_ ? slice<17, kBlockBits>(rest_less_one_) == 0
                               : front.data.bytes_less_one <= ~place_of(front.data.address);
    const bool cuts = front.valid && parts_.outputs().push_ready;
    if (cuts) {
      rest_address_ =
          concat(truncate<BlockAddress>(slice<Address::kWidth - 1, kBlockBits>(address) + UInt1(1)),
                 Place(0));
      rest_less_one_ = truncate<LoadBytes>(less_one + ~to_end);  // less to_end and 1
      cutting_ = as_bit(!last);
    }
    const Place end = truncate<Place>(place + less_one);
    parts_.clock({.push = {.valid = front.valid & ~in.stop,
                           .data = {.first = address,
                                    .last = last ? end : ~Place(0),
                                    .command = front.data.command}},
                  .pop_ready = as_bit(takes_part || in.stop)});
    stretches_.clock(
        {.push = {.valid = in.stretch_valid,
                  .data = {.bytes_less_one = truncate<LoadBytes>(in.stretch.bytes - UInt1(1)),
                           .address = in.stretch.address,
                           .command = in.stretch.command}},
         .pop_ready = as_bit((cuts && last) || in.stop)});
  }

  void check(const Inputs& in) {
    const Beat<Part> part = parts_.outputs().pop;
    const Address last =
        concat(slice<Address::kWidth - 1, kBlockBits>(part.data.first), part.data.last);
    checked_valid_ = part.valid;
    checked_ = part.data;
    around_ = windows_around(in.windows, part.data.first, last);
  }

  void offer(const Inputs& in, bool moves) {
    const bool allowed = around_.contain();
    const bool sends = moves && allowed;
    if (sends && !in.burst_done) in_flight_ = truncate<UInt8>(in_flight_ + UInt1(1));
    if (in.burst_done && !sends) in_flight_ = truncate<UInt8>(in_flight_ - UInt1(1));
    offered_.clock(
        {.push = {.valid = as_bit(sends),
                  .data = {.address = checked_.first, .beats_less_one = beats_less_one(checked_)}},
         .pop_ready = in.burst_ready});
    refused_ = as_bit(moves && !allowed);
    if (moves && !allowed) {
      refused_command_ = checked_.command;
      refused_address_ = checked_.first;
      blocked_ = UInt1(1);
    }
  }

  static Place place_of(const Address& address) { return slice<kBlockBits - 1, 0>(address); }

  static UInt8 beats_less_one(const Part& part) {
    return truncate<UInt8>(slice<kBlockBits - 1, kLaneBits>(part.last) -
                           slice<kBlockBits - 1, kLaneBits>(part.first));
  }
};

}  // namespace systole::kernels
