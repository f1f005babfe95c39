#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// The tokens that engines have given each other and not yet taken: a counter for each pair.
///
/// Shapes   of an engine's bits given or taken, bit e is the other engine
/// Limits   255 tokens a pair; a token is taken only where one is shown
/// Errors   `overflow` for one token too many, and for an engine that names itself
class Tokens {
 public:
  struct PerEngine {
    EngineBits load;     ///< of the load engine
    EngineBits compute;  ///< of the compute engine
    EngineBits store;    ///< of the store engine
    EngineBits vector;   ///< of the vector engine
  };
  struct Inputs {
    PerEngine given;  ///< at this edge, by each engine
    PerEngine taken;  ///< at this edge, by each engine
    UInt1 clear;      ///< all counts become 0
  };
  struct Outputs {
    PerEngine available;  ///< to each engine, a bit for each giver
    UInt1 overflow;       ///< one token too many was given
  };

  Outputs outputs() const {
    return {.available = {.load = available<kLoadBit>(),
                          .compute = available<kComputeBit>(),
                          .store = available<kStoreBit>(),
                          .vector = available<kVectorBit>()},
            .overflow = overflow_[kLoadBit] | overflow_[kComputeBit] | overflow_[kStoreBit] |
                        overflow_[kVectorBit]};
  }

  void clock(const Inputs& in) {
    const EngineBits given[kEngines] = {in.given.load, in.given.compute, in.given.store,
                                        in.given.vector};
    const EngineBits taken[kEngines] = {in.taken.load, in.taken.compute, in.taken.store,
                                        in.taken.vector};
#pragma unroll
    for (unsigned e = 0; e < kEngines; ++e) {
      overflow_[e] = has(given[e] | taken[e], e);
#pragma unroll
      for (unsigned other = 0; other < kEngines; ++other) {
        if (other == e) continue;
        const bool gives = bool(has(given[e], other)), takes = bool(has(taken[other], e));
        UInt8& count = counts_[pair(e, other)];
        overflow_[e] = overflow_[e] | as_bit(gives && !takes && count == kMostTokens);
        // One adder for both directions.
        if (gives != takes) count = truncate<UInt8>(count + (gives ? UInt8(1) : UInt8(255)));
        if (in.clear) count = UInt8(0);
      }
    }
  }

  void reset() {
    for (unsigned i = 0; i < kPairs; ++i) counts_[i] = UInt8(0);
    for (unsigned e = 0; e < kEngines; ++e) overflow_[e] = UInt1(0);
  }

 private:
  static constexpr unsigned kPairs = kEngines * (kEngines - 1);

  /// Of tokens from `giver` to `taker`.
  static constexpr unsigned pair(unsigned giver, unsigned taker) {
    return giver * (kEngines - 1) + taker - (taker > giver ? 1 : 0);
  }
  static UInt1 has(const EngineBits& bits, unsigned engine) {
    return as_bit(bit<0>(bits >> UInt<2>::from(engine)));
  }

  template <unsigned kTaker>
  EngineBits available() const {
    EngineBits bits(0);
#pragma unroll
    for (unsigned giver = 0; giver < kEngines; ++giver) {
      if (giver != kTaker && counts_[pair(giver, kTaker)] != 0) {
        bits = bits | EngineBits::from(1U << giver);
      }
    }
    return bits;
  }

  UInt8 counts_[kPairs];
  UInt1 overflow_[kEngines];  ///< by who gives
};

}  // namespace systole::kernels
