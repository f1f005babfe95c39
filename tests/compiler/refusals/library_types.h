#include <bitset>
#include <optional>
#include <tuple>

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

// ---- port_is_a_tuple
struct Top {
  struct Inputs {
    std::tuple<UInt<8>, UInt<4>> pair;  // refused at 34: 'pair' is a std::tuple, whose members have no names of yours; use a struct, UInt<N>, Vec or std::array
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) { return {.y = std::get<0>(in.pair)}; }
};
// ---- port_is_an_optional
struct Top {
  struct Inputs {
    std::optional<UInt<8>> maybe;  // refused at 28: 'maybe' is a std::optional, whose members have no names of yours
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) { return {.y = in.maybe.value_or(UInt<8>(0))}; }
};
// ---- register_is_a_bitset
struct Top {
  struct Inputs {
    UInt<1> x;
  };
  struct Outputs {
    UInt<1> y;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = as_bit(flags_[0])};
    flags_[0] = static_cast<bool>(in.x);
    return out;
  }
  std::bitset<4> flags_;  // refused at 18: 'flags_' is a std::bitset, whose members have no names of yours
};
