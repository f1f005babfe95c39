#pragma once

#include "hls/kernels/load_parts.h"

namespace systole::kernels {

/// Cuts stretches of memory into bursts, checks each against the windows, and offers it.
///
/// Shapes   a stretch is cut at multiples of kLoadBurstBeats beats. A burst's address is that of
///          its first wanted byte; its first and last wanted byte are checked
/// Timing   a burst is offered 3 clocks after its stretch came at the earliest; one burst a clock
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
    UInt1 stretch_valid;
    LoadStretch stretch;
    UInt1 stop;
    Windows windows;
    UInt1 burst_ready;
    UInt1 burst_done;  ///< its last beat has come
  };
  struct Outputs {
    UInt1 stretch_ready;
    Beat<Burst> burst;
    EngineFault fault;
    UInt1 idle;
    UInt1 none_in_flight;  ///< no burst is offered, or owed a beat
    UInt1 wait_for_bus;
  };

  Outputs outputs() const {
    return {.stretch_ready = stretches_.outputs().push_ready,
            .burst = {.valid = offered_, .data = burst_},
            .fault = {.raised = refused_,
                      .code = UInt<4>(kFaultReadWindow),
                      .command = refused_command_,
                      .address = refused_address_},
            .idle = ~stretches_.outputs().pop.valid & ~checking_ & ~offered_ & ~refused_ &
                    as_bit(in_flight_ == 0),
            .none_in_flight = as_bit(in_flight_ == 0),
            .wait_for_bus = waited_};
  }

  void clock(const Inputs& in) {
    const Beat<LoadStretch> front = stretches_.outputs().pop;
    const bool leaves = offered_ && in.burst_ready;
    const bool moves =
        checking_ && (!offered_ || leaves) && in_flight_ != kInFlight && !blocked_ && !in.stop;
    const bool allowed = is_open(in.windows, next_first_, last_address());
    const bool sends = moves && allowed;
    const bool cuts = front.valid && (!checking_ || moves) && !blocked_ && !in.stop;

    waited_ = offered_ & ~in.burst_ready;
    if (sends && !in.burst_done) in_flight_ = truncate<UInt8>(in_flight_ + UInt1(1));
    if (in.burst_done && !sends) in_flight_ = truncate<UInt8>(in_flight_ - UInt1(1));
    if (sends) {
      burst_ = {.address = next_first_, .beats_less_one = beats_less_one()};
      offered_ = UInt1(1);
    } else if (leaves) {
      offered_ = UInt1(0);
    }

    refused_ = as_bit(moves && !allowed);
    if (moves && !allowed) {
      refused_command_ = next_command_;
      refused_address_ = next_first_;
      blocked_ = UInt1(1);
    }

    // The stretch at the queue's head, or what is left of it.
    const Address address = cutting_ ? rest_address_ : front.data.address;
    const LoadBytes bytes = cutting_ ? rest_bytes_ : front.data.bytes;
    const Place place = slice<kBlockBits - 1, 0>(address);
    const auto room = truncate<UInt<kBlockBits + 1>>(UInt<kBlockBits + 1>(kBurstBytes) - place);
    const bool last = bytes <= room;
    if (cuts) {
      next_first_ = address;
      next_last_ = last ? truncate<Place>(place + truncate<Place>(bytes - UInt1(1))) : ~Place(0);
      next_command_ = front.data.command;
      rest_address_ =
          concat(truncate<BlockAddress>(slice<39, kBlockBits>(address) + UInt1(1)), Place(0));
      rest_bytes_ = truncate<LoadBytes>(bytes - room);
      cutting_ = as_bit(!last);
      checking_ = UInt1(1);
    } else if (moves) {
      checking_ = UInt1(0);
    }
    if (in.stop) {
      checking_ = UInt1(0);
      cutting_ = UInt1(0);
      blocked_ = UInt1(0);
    }
    stretches_.clock({.push = {.valid = in.stretch_valid, .data = in.stretch},
                      .pop_ready = as_bit((cuts && last) || in.stop)});
  }

  void reset() {
    stretches_.reset();
    offered_ = UInt1(0);
    checking_ = UInt1(0);
    cutting_ = UInt1(0);
    blocked_ = UInt1(0);
    refused_ = UInt1(0);
    waited_ = UInt1(0);
    in_flight_ = UInt8(0);
  }

 private:
  using BlockAddress = UInt<40 - kBlockBits>;

  Fifo<LoadStretch, 2> stretches_;
  UInt1 cutting_;  ///< a part of the stretch at the head has been cut off
  Address rest_address_;
  LoadBytes rest_bytes_;

  UInt1 checking_;  ///< a burst is next, and is being checked
  Address next_first_;
  Place next_last_;  ///< in the block that holds next_first_
  CommandIndex next_command_;

  UInt1 offered_;
  Burst burst_;
  UInt8 in_flight_;
  UInt1 waited_;

  UInt1 blocked_;
  UInt1 refused_;
  CommandIndex refused_command_;
  Address refused_address_;

  Address last_address() const { return concat(slice<39, kBlockBits>(next_first_), next_last_); }
  UInt8 beats_less_one() const {
    return truncate<UInt8>(slice<kBlockBits - 1, kLaneBits>(next_last_) -
                           slice<kBlockBits - 1, kLaneBits>(next_first_));
  }
};

}  // namespace systole::kernels
