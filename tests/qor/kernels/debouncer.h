#pragma once

#include "systole/hls/int.h"

namespace qor {

using namespace systole::hls;

/// A button's level, after it has been the same for 1024 clocks, and a pulse when it is pressed.
struct Debouncer {
  struct Inputs {
    UInt1 button;
  };
  struct Outputs {
    UInt1 level;
    UInt1 pressed;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.level = level_, .pressed = pressed_};
    pressed_ = 0;
    if (sync_ == level_) {
      count_ = 0;
    } else {
      if (count_ == 1023) {
        level_ = sync_;
        pressed_ = sync_;
      }
      ++count_;
    }
    sync_ = meta_;
    meta_ = in.button;
    return out;
  }
  void reset() {
    meta_ = 0;
    sync_ = 0;
    level_ = 0;
    pressed_ = 0;
    count_ = 0;
  }

 private:
  UInt1 meta_;
  UInt1 sync_;
  UInt1 level_;
  UInt1 pressed_;
  UInt<10> count_;
};

}  // namespace qor
