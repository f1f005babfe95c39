#pragma once

#include "systole/hls/stream.h"
#include "systole/hls/thread.h"

namespace systole::tests {

using namespace systole::hls;

enum class Parcel : std::int16_t { kLetter = 0, kBox = 7 };
enum class Speed : std::uint8_t { kSlow = 1, kFast = 9 };
enum class Zone : std::uint8_t { kNear = 1, kFar = 5, kAbroad = 18 };

/// Enums of different sizes side by side, which clang passes in one integer.
struct Label {
  Parcel parcel;
  Speed speed;
  Zone zone;
  bool paid;
};

/// A struct of enums that is kept over several waits has no more bits than its enumerators need.
inline Thread copies(StreamIn<Label>& labels, StreamOut<Label>& out) {
  for (;;) {
    const Label label = co_await labels.pop();
    co_await out.push(label);
    if (label.speed == Speed::kFast) co_await out.push(label);
    co_await out.push({label.parcel, Speed::kSlow, label.zone, label.paid});
  }
}

enum class Address { kHome = 4, kWork = 27 };

/// Has a byte at its end that belongs to no member.
struct Sticker {
  Address address;
  Parcel parcel;
  bool paid;
};
inline Thread stick(StreamIn<UInt8>& bytes, Sticker& sticker) {
  sticker = Sticker{Address::kHome, Parcel::kBox, true};
  for (;;) {
    const UInt8 byte = co_await bytes.pop();
    sticker = Sticker{bit<0>(byte) ? Address::kWork : Address::kHome,
                      bit<1>(byte) ? Parcel::kLetter : Parcel::kBox, bit<2>(byte) == 1};
  }
}

/// The same as a wire of the parent's.
struct Stuck {
  struct Inputs {
    Beat<UInt8> bytes;
  };
  struct Outputs {
    UInt1 bytes_ready;
    Sticker sticker;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    bytes_.push(in.bytes);
    out.bytes_ready = bytes_.ready();
    stick_.connect(bytes_, sticker_);
    bytes_.update();
    out.sticker = sticker_;
    return out;
  }
  void reset() {
    bytes_.reset();
    stick_.reset();
  }

 private:
  Channel<UInt8, 2> bytes_;
  Sticker sticker_;
  Process<&stick> stick_;
};

/// Has a byte between members that belongs to none.
struct Crate {
  Int<17> weight;
  Speed speed;
  Parcel parcel;
  bool paid;
};
inline Thread pass_on(StreamIn<Crate>& before, StreamOut<Crate>& after) {
  for (;;) {
    const Crate crate = co_await before.pop();
    co_await after.push(crate);
    co_await after.push({crate.weight, Speed::kFast, crate.parcel, !crate.paid});
  }
}

/// A parent that copies such structs from channel to channel.
struct Crates {
  struct Inputs {
    Beat<Crate> before;
    UInt1 after_ready;
  };
  struct Outputs {
    UInt1 before_ready;
    Beat<Crate> after;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    out.before_ready = joints_[0].ready();
    out.after = joints_[2].front();
    joints_[0].push(in.before);
    joints_[2].pop(in.after_ready);
    for (int i = 0; i < 2; ++i) threads_[i].connect(joints_[i], joints_[i + 1]);
    for (auto& joint : joints_) joint.update();
    return out;
  }
  void reset() {
    for (auto& thread : threads_) thread.reset();
    for (auto& joint : joints_) joint.reset();
  }

 private:
  Channel<Crate, 2> joints_[3];
  Process<&pass_on> threads_[2];
};

/// Has a byte behind an array, which a copy of the array and what follows it takes along.
struct Load {
  Int<13> weight;
  UInt<32> number;
  bool marks[3];
  Parcel parcel;
};
/// Keeps loads over waits, and chooses one of two.
inline Thread heavier(StreamIn<Load>& before, StreamOut<Load>& after) {
  for (;;) {
    const Load one = co_await before.pop();
    const Load other = co_await before.pop();
    Load chosen = one;
    if (other.weight > one.weight) chosen = other;
    co_await after.push(chosen);
    co_await after.push(one);
  }
}

}  // namespace systole::tests
