#pragma once

#include "systole/hls/stream.h"
#include "systole/hls/thread.h"

namespace systole::tests {

using namespace systole::hls;

inline Thread count_on(StreamIn<UInt8>& values, StreamOut<UInt8>& counted) {
  for (;;) {
    const UInt8 value = co_await values.pop();
    co_await counted.push(truncate<UInt8>(value + UInt8(1)));
  }
}

/// Arrays of processes and channels: each process feeds the next.
struct Relays {
  struct Inputs {
    Beat<UInt8> in;
    UInt1 out_ready;
  };
  struct Outputs {
    UInt1 in_ready;
    Beat<UInt8> out;
  };
  Outputs outputs() const { return {.in_ready = joints_[0].ready(), .out = joints_[3].front()}; }
  void clock(const Inputs& in) {
    joints_[0].push(in.in);
    joints_[3].pop(in.out_ready);
    for (int i = 0; i < 3; ++i) relays_[i].connect(joints_[i], joints_[i + 1]);
    for (auto& joint : joints_) joint.update();
  }
  void reset() {
    for (auto& relay : relays_) relay.reset();
    for (auto& joint : joints_) joint.reset();
  }

 private:
  Channel<UInt8, 2> joints_[4];
  Process<&count_on> relays_[3];
};

/// Two by two modules that hold threads.
struct RelayGrid {
  struct Inputs {
    Relays::Inputs lane[2][2];
  };
  struct Outputs {
    Relays::Outputs lane[2][2];
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    for (int row = 0; row < 2; ++row) {
      for (int column = 0; column < 2; ++column) {
        out.lane[row][column] = lanes_[row][column].outputs();
        lanes_[row][column].clock(in.lane[row][column]);
      }
    }
    return out;
  }
  void reset() {
    for (auto& row : lanes_) {
      for (auto& lane : row) lane.reset();
    }
  }

 private:
  Relays lanes_[2][2];
};

}  // namespace systole::tests
