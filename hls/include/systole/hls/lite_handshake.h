#pragma once

#include "systole/hls/int.h"

namespace systole::hls {

/// The data channels of AXI4-Lite.
struct LiteWrite {
  UInt32 data;
  UInt<4> strobe;
};
struct LiteRead {
  static constexpr UInt<2> kOkay = UInt<2>(0);
  static constexpr UInt<2> kSlaveError = UInt<2>(2);

  UInt32 data;
  UInt<2> response;  ///< kOkay or kSlaveError, as of a write
};

/// The handshakes of AXI4-Lite's five channels, for a map of registers that takes one access of
/// each kind at a time.
///
/// Timing   an address, with its data for a write, is taken in the clock after it is offered; the
///          answer is offered from the next clock on
struct LiteHandshake {
  UInt1 write_ready, write_done, read_ready, read_done;

  /// Goes on to the next clock, after the registers have seen this one's accesses.
  template <typename Inputs>
  void clock(const Inputs& in) {
    const bool write_now = static_cast<bool>(write_ready);
    const bool read_now = static_cast<bool>(read_ready);
    write_ready =
        as_bit(in.write_address.valid && in.write_data.valid && !write_now && !write_done);
    read_ready = as_bit(in.read_address.valid && !read_now && !read_done);
    write_done = as_bit(write_now || (write_done && !in.write_response_ready));
    read_done = as_bit(read_now || (read_done && !in.read_data_ready));
  }

  void reset() {
    write_ready = UInt1(0);
    write_done = UInt1(0);
    read_ready = UInt1(0);
    read_done = UInt1(0);
  }
};

}  // namespace systole::hls
