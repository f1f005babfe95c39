#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// Beats of a link for a word of N elements of 32 bits; the lowest lanes go first.
inline constexpr int kLinkBeatsOfWord = 4;
template <int kN>
inline constexpr int kLinkBits = 32 * kN / kLinkBeatsOfWord;

/// What a link between two cores carries in a clock: a quarter of a word of N elements.
template <int kN, bool kData = true>
struct LinkBeat {
  Carried<UInt<kLinkBits<kN>>, kData> lanes;  ///< lane 0 is lowest
  UInt1 last;                                 ///< of its stream
};

/// Clocks that a beat of a link is under way, unless told.
inline constexpr int kLinkFlight = 8;
/// Beats on their way and credits on theirs, so that a core that takes all is sent one a clock.
constexpr int link_places(int flight) { return 2 * flight + 4; }

/// The near end of a link: sends a beat for each place that is free at the far end.
///
/// Timing   a beat is on the wire a clock after it was taken; one beat a clock
/// Limits   the far end has kPlaces places, and a credit comes for each beat that leaves one
template <typename T, int kPlaces>
struct LinkSender {
  struct Inputs {
    Beat<T> beat;  ///< from the core
    UInt1 credit;  ///< a place at the far end has become free
  };
  struct Outputs {
    UInt1 beat_ready;
    Beat<T> wire;  ///< without a ready: there is a place for it
  };

  Outputs outputs() const { return {.beat_ready = may_send_, .wire = wire_}; }

  void clock(const Inputs& in) {
    const UInt1 takes = in.beat.valid & may_send_;
    wire_ = {.valid = takes, .data = in.beat.data};
    const Credits left = truncate<Credits>(credits_ + in.credit - takes);
    may_send_ = as_bit(left != 0);
    credits_ = left;
  }

  void reset() {
    wire_.valid = UInt1(0);
    credits_ = Credits(kPlaces);
    may_send_ = UInt1(1);
  }

 private:
  using Credits = UInt<index_bits(kPlaces + 1)>;

  Beat<T> wire_;
  Credits credits_;  ///< places that are free
  UInt1 may_send_;   ///< there are some
};

/// The far end of a link: keeps what arrives until the core takes it.
///
/// Timing   a beat is offered a clock after it arrived, its credit leaves a clock after it was
/// taken
template <typename T, int kPlaces>
struct LinkReceiver {
  struct Inputs {
    Beat<T> wire;  ///< what arrives; there is a place for it
    UInt1 beat_ready;
  };
  struct Outputs {
    Beat<T> beat;  ///< to the core
    UInt1 credit;  ///< a place has become free
  };

  Outputs outputs() const { return {.beat = beats_.outputs().pop, .credit = credit_}; }

  void clock(const Inputs& in) {
    credit_ = beats_.outputs().pop.valid & in.beat_ready;
    beats_.clock({.push = in.wire, .pop_ready = in.beat_ready});
  }

  void reset() {
    beats_.reset();
    credit_ = UInt1(0);
  }

 private:
  Fifo<T, kPlaces> beats_;
  UInt1 credit_;
};

/// One direction of a link between two cores. Beats arrive in order, none is lost or doubled, and
/// none waits on the way, whatever the far core does.
///
///     core -> LinkSender ===== kFlight clocks ====> LinkReceiver -> core
///                 ^                                      |
///                 `========== kFlight clocks ============'  credits
///
/// Timing   a beat is offered kFlight + 2 clocks after it was taken; one beat a clock
template <typename T, int kFlight = kLinkFlight>
struct Link {
  static constexpr int kPlaces = link_places(kFlight);

  struct Inputs {
    Beat<T> sent;  ///< from the near core
    UInt1 received_ready;
  };
  struct Outputs {
    UInt1 sent_ready;
    Beat<T> received;  ///< to the far core
  };

  Outputs outputs() const {
    return {.sent_ready = sender_.outputs().beat_ready, .received = receiver_.outputs().beat};
  }

  void clock(const Inputs& in) {
    const auto sender = sender_.outputs();
    const auto receiver = receiver_.outputs();
    sender_.clock({.beat = in.sent, .credit = credits_[kFlight - 1]});
    receiver_.clock({.wire = beats_[kFlight - 1], .beat_ready = in.received_ready});
    for (int i = kFlight - 1; i > 0; --i) {
      beats_[i] = beats_[i - 1];
      credits_[i] = credits_[i - 1];
    }
    beats_[0] = sender.wire;
    credits_[0] = receiver.credit;
  }

  void reset() {
    sender_.reset();
    receiver_.reset();
    for (int i = 0; i < kFlight; ++i) {
      beats_[i].valid = UInt1(0);
      credits_[i] = UInt1(0);
    }
  }

 private:
  LinkSender<T, kPlaces> sender_;
  LinkReceiver<T, kPlaces> receiver_;
  Beat<T> beats_[kFlight];
  UInt1 credits_[kFlight];
};

}  // namespace systole::kernels
