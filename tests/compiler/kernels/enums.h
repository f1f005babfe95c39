#pragma once

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

enum class Mode { kIdle, kRun, kDrain };
enum class Opcode : std::uint8_t { kNop = 0, kAdd = 3, kSub = 5, kLoad = 17 };
enum Direction : int { kDown = -2, kStay = 0, kUp = 1 };
enum class Switch { kOff, kOn };

/// Hands a mode on one clock later; a submodule with nothing but enums at its ports.
struct ModeRegister {
  struct Inputs {
    Mode mode;
    Switch hold;
  };
  struct Outputs {
    Mode mode;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.mode = mode_};
    if (in.hold == Switch::kOff) mode_ = in.mode;
    return out;
  }
  void reset() { mode_ = Mode::kDrain; }

 private:
  Mode mode_;
};

/// Enums as ports, registers, arrays, struct members, locals and arguments; a value without an
/// enumerator is the bits that it is.
struct Enums {
  struct Step {
    Direction direction;
    UInt<3> times;
  };
  struct Inputs {
    Mode mode;
    Opcode opcode;
    Step step;
    Vec<Switch, 3> lane;
    UInt<2> raw;
    UInt<4> wide;
    UInt<2> pick;
  };
  struct Outputs {
    Mode mode;
    Mode next;
    Mode cast;
    Mode guarded;
    Mode passed;
    Opcode opcode;
    UInt<8> decoded;
    Int<9> position;
    Vec<Switch, 3> lane;
    Direction direction;
  };

  static UInt<8> decode(Opcode opcode, UInt<8> x) {
    switch (opcode) {
      case Opcode::kAdd:
        return truncate<UInt<8>>(x + UInt<1>(1));
      case Opcode::kSub:
        return truncate<UInt<8>>(x - UInt<1>(1));
      case Opcode::kLoad:
        return UInt<8>(0x5a);
      default:
        return x;
    }
  }
  static Mode next(Mode mode, bool go) {
    switch (mode) {
      case Mode::kIdle:
        return go ? Mode::kRun : Mode::kIdle;
      case Mode::kRun:
        return Mode::kDrain;
      case Mode::kDrain:
        return Mode::kIdle;
    }
    return mode;
  }

  Outputs clock(const Inputs& in) {
    Outputs out;
    out.mode = mode_;
    out.next = next(in.mode, in.opcode == Opcode::kNop);
    out.cast = static_cast<Mode>(in.raw.value());
    out.guarded = in.wide < 3 ? static_cast<Mode>(in.wide.value()) : Mode::kIdle;
    out.passed = register_.clock({.mode = in.mode, .hold = in.lane[1]}).mode;
    out.opcode = picked_;
    out.decoded = decode(in.opcode, count_);
    out.position = position_;
    out.direction = in.step.direction;
    for (int i = 0; i < 3; ++i) out.lane[i] = in.lane[i] == lane_[i] ? Switch::kOn : Switch::kOff;
    picked_ = queue_[in.pick.value() & 1];
    queue_[in.raw.value() & 1] = in.opcode;
    count_ = decode(in.opcode, count_);
    if (mode_ == Mode::kRun && in.mode != Mode::kRun) {
      mode_ = in.mode;
    } else {
      mode_ = next(mode_, in.lane[0] == Switch::kOn);
    }
    const int by = static_cast<int>(in.step.direction);
    position_ = truncate<Int<9>>(position_ + Int<9>::from(by));
    for (int i = 0; i < 3; ++i) lane_[i] = in.lane[2 - i];
    return out;
  }
  void reset() {
    mode_ = Mode::kIdle;
    for (int i = 0; i < 2; ++i) queue_[i] = Opcode::kLoad;
    picked_ = Opcode::kNop;
    count_ = UInt<8>(0);
    position_ = Int<9>(0);
    for (int i = 0; i < 3; ++i) lane_[i] = Switch::kOff;
    register_.reset();
  }

 private:
  ModeRegister register_;
  Mode mode_;
  Opcode queue_[2];
  Opcode picked_;
  UInt<8> count_;
  Int<9> position_;
  Switch lane_[3];
};

/// Ports of bools alone: the host's calling convention packs them, hardware does not care.
struct ModeFlags {
  struct Inputs {
    bool set;
    bool clear;
    Vec<bool, 5> lane;
  };
  struct Outputs {
    bool flag;
    Vec<bool, 5> lane;
    bool both;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.flag = flag_,
                      .lane = {{in.lane[4], in.lane[3], flag_, in.lane[1], in.lane[0]}},
                      .both = in.set && in.clear};
    if (in.set) flag_ = true;
    if (in.clear) flag_ = false;
    return out;
  }
  void reset() { flag_ = false; }

 private:
  bool flag_;
};

/// An enum of a class template, whose enumerators clang defines where they are first named.
template <int kTurns>
struct Phases {
  enum class Phase { kWait, kLoad, kRun };
  struct Inputs {
    UInt<1> go;
  };
  struct Outputs {
    UInt<1> busy;
    Phase phase;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.busy = phase_ != Phase::kWait ? UInt<1>(1) : UInt<1>(0), .phase = phase_};
    if (phase_ == Phase::kWait && in.go == 1) {
      phase_ = Phase::kLoad;
    } else if (phase_ == Phase::kLoad) {
      left_ = kTurns;
      phase_ = Phase::kRun;
    } else if (phase_ == Phase::kRun) {
      if (left_ == 0) phase_ = Phase::kWait;
      left_ = truncate<UInt<4>>(left_ - 1);
    }
    return out;
  }
  void reset() {
    phase_ = Phase::kWait;
    left_ = 0;
  }

 private:
  Phase phase_;
  UInt<4> left_;
};

}  // namespace systole::tests
