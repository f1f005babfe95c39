#pragma once

#include "systole/hls/int.h"

namespace qor {

using namespace systole::hls;

/// Grants one of eight requests in turn: the first at or after the one that follows the last grant.
struct Arbiter {
  struct Inputs {
    UInt8 request;
  };
  struct Outputs {
    UInt8 grant;
  };
  Outputs clock(const Inputs& in) {
    const UInt8 high = in.request & mask_;
    const UInt8 chosen = high != 0 ? high : in.request;
    const UInt8 grant = chosen & truncate<UInt8>(-chosen);
    if (grant != 0) mask_ = ~truncate<UInt8>((grant << UInt1(1)) - 1);
    if (grant[7]) mask_ = 255;
    return {.grant = grant};
  }
  void reset() { mask_ = 255; }

 private:
  UInt8 mask_;
};

}  // namespace qor
