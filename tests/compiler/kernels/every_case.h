#pragma once

#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/ram.h"

namespace systole::tests {

using namespace systole::hls;

/// A switch with a case for every value, before a memory and a pipeline: no path leads past them.
constexpr UInt<4> in_every_case(UInt<2> which, const UInt<4>& a) {
  switch (which.value()) {
    case 0:
      return truncate<UInt<4>>(a + UInt<4>(3));
    case 1:
      return ~a;
    case 2:
      return truncate<UInt<4>>(a * UInt<4>(5));
    case 3:
      return UInt<4>(9);
  }
  return UInt<4>(0);
}
constexpr UInt<4> one_more(const UInt<4>& a) { return truncate<UInt<4>>(a + UInt<4>(1)); }

struct FoundInEveryCase {
  struct Inputs {
    UInt<2> which;
    UInt<4> a;
  };
  struct Outputs {
    UInt<4> read;
    UInt<4> piped;
  };
  Outputs clock(const Inputs& in) {
    const bool filled = filled_ == UInt<2>(3);
    const UInt<4> value = in_every_case(in.which, in.a);
    const auto ram = ram_.clock({.read_enable = UInt1(1),
                                 .read_address = slice<1, 0>(value),
                                 .write_enable = UInt1(1),
                                 .write_address = slice<3, 2>(value),
                                 .write_data = in.a});
    const Outputs out{.read = filled ? ram.read_data : UInt<4>(0),
                      .piped = filled ? pipe_.output() : UInt<4>(0)};
    pipe_.clock(value);
    if (!filled) filled_ = truncate<UInt<2>>(filled_ + UInt<2>(1));
    return out;
  }
  void reset() { filled_ = UInt<2>(0); }

 private:
  Ram<UInt<4>, 4> ram_;
  Pipeline<&one_more, 2> pipe_;
  UInt<2> filled_;
};

}  // namespace systole::tests
