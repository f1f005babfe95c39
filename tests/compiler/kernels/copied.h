#pragma once

#include "systole/hls/int.h"

namespace systole::tests {

using namespace systole::hls;

/// A struct that is copied whatever way its numbers take, and a word of flags put together bit by
/// bit.
struct Copied {
  static constexpr int kLanes = 4;
  static constexpr int kFlags = 10;

  struct Step {
    UInt<3> kind;
    UInt1 is_word;
    UInt8 tag;
  };
  struct Inputs {
    UInt1 valid;
    Step step;
    UInt8 number;
    UInt1 flag;
  };
  struct Outputs {
    Step result;
    UInt8 word;
    UInt<kFlags> flags;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.result = result_, .word = shown_, .flags = flags_};
    shown_ = word_[0];
    if (valid_) {
      result_ = step_;
      if (step_.kind == 3) {
        for (int n = 0; n < kLanes; ++n) word_[n] = number_[n];
      } else if (step_.is_word) {
        for (int n = 0; n < kLanes; ++n) word_[n] = ~number_[n];
      } else {
        for (int n = 0; n < kLanes; ++n) word_[n] = truncate<UInt8>(number_[n] + UInt1(1));
      }
    }
    UInt<kFlags> flags(0);
    const auto add = [&](int place, const UInt1& flag) {
      flags = flags | (UInt<kFlags>(flag) << UInt<4>::from(static_cast<unsigned>(place)));
    };
    add(0, in.flag);
    add(1, valid_);
    add(2, step_.is_word);
    add(3, slice<0, 0>(step_.tag));
    add(4, slice<1, 1>(step_.tag));
    add(5, slice<2, 2>(step_.tag));
    add(6, slice<3, 3>(step_.tag));
    add(7, slice<4, 4>(step_.tag));
    add(8, slice<5, 5>(step_.tag));
    add(9, in.valid);
    flags_ = flags;
    valid_ = in.valid;
    step_ = in.step;
    for (int n = 0; n < kLanes; ++n) number_[n] = in.number;
    return out;
  }

  void reset() {
    valid_ = UInt1(0);
    step_ = Step();
    result_ = Step();
    for (int n = 0; n < kLanes; ++n) number_[n] = UInt8(0);
    for (int n = 0; n < kLanes; ++n) word_[n] = UInt8(0);
    shown_ = UInt8(0);
    flags_ = UInt<kFlags>(0);
  }

 private:
  UInt1 valid_;
  Step step_;
  Step result_;
  UInt8 number_[kLanes];
  UInt8 word_[kLanes];
  UInt8 shown_;
  UInt<kFlags> flags_;
};

}  // namespace systole::tests
