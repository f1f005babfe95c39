#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "sim/monitor/protocol_error.h"

namespace systole::sim {

/// Checks a channel's handshake: valid stays high, and the payload stable, until it is taken.
///
/// Shapes   Payload is what the channel carries; `payload()` is called only while the channel waits
/// Errors   ProtocolError with the channel's name and the clock
template <typename Payload>
class Held {
 public:
  explicit Held(const char* channel) : channel_(channel) {}

  template <typename Maker>
  void check(std::uint64_t clock, bool valid, bool ready, Maker&& payload) {
    if (waiting_) {
      if (!valid) fail(clock, "valid fell before ready came");
      if (!(payload() == payload_)) fail(clock, "the payload changed while valid waited for ready");
    } else if (valid && !ready) {
      payload_ = payload();
    }
    waiting_ = valid && !ready;
  }

 private:
  [[noreturn]] void fail(std::uint64_t clock, const char* what) const {
    throw ProtocolError(fmt::format("{}, clock {}: {}", channel_, clock, what));
  }

  const char* channel_;
  bool waiting_ = false;
  Payload payload_{};
};

}  // namespace systole::sim
