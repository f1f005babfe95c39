#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "systole/hls/stream.h"

namespace systole::kernels {

using namespace systole::hls;

/// A part of the device whose clocks are skipped while it rests: for simulations, no part of the
/// hardware. What a part does follows from its registers and its inputs. So one that a clock left
/// as it was, every byte of it, stays so for as long as its inputs do.
///
/// Shapes   a part has Inputs, Outputs, outputs(), clock() and reset(), and no pointers
/// Timing   the part's own in every clock. A look at whether it rests costs a copy and a
///          comparison of the part: one that works is looked at less and less often
/// Limits   a stream's data have no meaning without its valid, nor has a ready where nothing is
///          offered: the part meets zeros instead, or what others do on the bus would wake it
template <typename Part>
class AtRest {
 public:
  using Inputs = typename Part::Inputs;
  using Outputs = typename Part::Outputs;

  const Outputs& outputs() const { return outputs_; }

  void clock(Inputs in) {
    drop_unoffered(in);
    if (std::memcmp(&in, &inputs_, sizeof in) != 0) {
      std::memcpy(static_cast<void*>(&inputs_), &in, sizeof in);
      part_.clock(in);
      rests_ = false;
    } else if (rests_) {
      return;
    } else if (looks_in_ > 0) {
      --looks_in_;
      part_.clock(in);
    } else {
      clock_and_look(in);
      if (rests_) return;
    }
    outputs_ = part_.outputs();
  }

  void reset() {
    part_.reset();
    rests_ = false;
    outputs_ = part_.outputs();
  }

  /// Whether clocks are skipped until an input changes.
  bool rests() const { return rests_; }

 private:
  static constexpr int kLongestPause = 31;

  void clock_and_look(const Inputs& in) {
    alignas(Part) std::byte before[sizeof part_];
    std::memcpy(before, &part_, sizeof part_);
    part_.clock(in);
    rests_ = std::memcmp(before, &part_, sizeof part_) == 0;
    pause_ = rests_ ? 0 : std::min(2 * pause_ + 1, kLongestPause);
    looks_in_ = pause_;
  }

  template <typename Ports>
  void drop_unoffered(Ports& in) const {
    const auto drop = [](auto& beat) {
      if (!beat.valid) beat.data = {};
    };
    if constexpr (requires { in.command; }) drop(in.command);
    if constexpr (requires { in.stream; }) drop(in.stream);
    if constexpr (requires { in.read; }) drop(in.read);
    if constexpr (requires { in.word; }) drop(in.word);
    if constexpr (requires { in.up_in; }) {
      drop(in.up_in);
      drop(in.down_in);
    }
    if constexpr (requires { in.up_out_ready; }) {
      in.up_out_ready = in.up_out_ready & outputs_.up_out.valid;
      in.down_out_ready = in.down_out_ready & outputs_.down_out.valid;
    }
    if constexpr (requires { in.word_ready; }) {
      in.word_ready = in.word_ready & (outputs_.word.valid | in.stop);
    }
    if constexpr (requires { in.burst_ready; }) {
      in.burst_ready = in.burst_ready & outputs_.burst.valid;
    }
    if constexpr (requires { in.read_burst_ready; }) {
      in.read_burst_ready = in.read_burst_ready & outputs_.read_burst.valid;
      in.write_burst_ready = in.write_burst_ready & outputs_.write_burst.valid;
    }
    if constexpr (requires { in.write_ready; }) {
      in.write_ready = in.write_ready & outputs_.write.valid;
      in.response_error = in.response_error & in.response_valid;
    }
  }

  Part part_;
  Inputs inputs_{};  ///< of the last clock that was not skipped
  Outputs outputs_;
  bool rests_ = false;  ///< the last clock left part_ as it was
  int pause_ = 0;       ///< clocks between two looks
  int looks_in_ = 0;    ///< clocks, then it looks
};

/// A part of the device; where nothing computes, one that is skipped while it rests.
template <typename Part, bool kData>
using Simulated = std::conditional_t<kData, Part, AtRest<Part>>;

}  // namespace systole::kernels
