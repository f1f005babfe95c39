#pragma once

#include "systole/hls/int.h"
#include "systole/hls/stream.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// A place in a picture.
struct Pixel {
  UInt<3> row;  ///< from the top; 0 is the first
  UInt<3> column;
};

/// Keeps the last sample, and says where it was taken.
///
///     sample --> kept
///
/// Limits   a comment in its words: input logic [7:0] a, b; // and (brackets) [0]
template <int kLanes>
class Described {
 public:
  struct Inputs {
    Beat<Pixel> place;  ///< where samples are taken, a place a clock
    Vec<UInt<4>, kLanes> sample;
    UInt1 enable;  ///< keep the sample
    /// A block above a member; it speaks for this member alone.
    UInt<2> gain;
    UInt1 mode;  ///< a comment that goes on
                 ///< below its member
    // No comment of the member's: two marks.
    UInt1 plain;
  };
  struct Outputs {
    UInt1 place_ready;
    Pixel kept;                  ///< of the sample that was kept last
    Vec<UInt<4>, kLanes> total;  ///< the samples so far, each lane alone, modulo two to the power
                                 ///< of four, since a lane is as wide as what it adds
    UInt1 odd;                   ///< input logic [3:0] of nothing, output logic; the last port
  };

  Outputs outputs() const {
    return {.place_ready = UInt1(1), .kept = kept_, .total = total_, .odd = odd_};
  }

  void reset() { total_ = {}; }

  void clock(const Inputs& in) {
    if (in.place.valid && in.enable) {
      kept_ = in.place.data;
      for (int i = 0; i < kLanes; ++i) {
        total_[i] += in.sample[i] + UInt<4>(in.gain);
      }
      odd_ = in.mode ^ in.plain;
    }
  }

 private:
  Pixel kept_;
  Vec<UInt<4>, kLanes> total_;
  UInt1 odd_;
};

}  // namespace systole::tests
