#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// The tokens that engines have given each other and not yet taken: a counter for each pair.
///
/// Shapes   `load`, `compute`, `store`: of a vector given or taken, bit e is the other engine
/// Limits   255 tokens a pair; a token is taken only where one is shown
/// Errors   `overflow` for one token too many, and for an engine that names itself
class Tokens {
 public:
  struct PerEngine {
    UInt<3> load;
    UInt<3> compute;
    UInt<3> store;
  };
  struct Inputs {
    PerEngine given;
    PerEngine taken;
    UInt1 clear;
  };
  struct Outputs {
    PerEngine available;
    UInt1 overflow;
  };

  Outputs outputs() const {
    return {
        .available = {.load = concat(any(store_to_load_), any(compute_to_load_), UInt1(0)),
                      .compute = concat(any(store_to_compute_), UInt1(0), any(load_to_compute_)),
                      .store = concat(UInt1(0), any(compute_to_store_), any(load_to_store_))},
        .overflow = overflow_};
  }

  void clock(const Inputs& in) {
    overflow_ = bit_of<kLoadBit>(in.given.load | in.taken.load) |
                bit_of<kComputeBit>(in.given.compute | in.taken.compute) |
                bit_of<kStoreBit>(in.given.store | in.taken.store);
    move(load_to_compute_, bit<kComputeBit>(in.given.load), bit<kLoadBit>(in.taken.compute),
         in.clear);
    move(load_to_store_, bit<kStoreBit>(in.given.load), bit<kLoadBit>(in.taken.store), in.clear);
    move(compute_to_load_, bit<kLoadBit>(in.given.compute), bit<kComputeBit>(in.taken.load),
         in.clear);
    move(compute_to_store_, bit<kStoreBit>(in.given.compute), bit<kComputeBit>(in.taken.store),
         in.clear);
    move(store_to_load_, bit<kLoadBit>(in.given.store), bit<kStoreBit>(in.taken.load), in.clear);
    move(store_to_compute_, bit<kComputeBit>(in.given.store), bit<kStoreBit>(in.taken.compute),
         in.clear);
  }

  void reset() {
    load_to_compute_ = UInt8(0);
    load_to_store_ = UInt8(0);
    compute_to_load_ = UInt8(0);
    compute_to_store_ = UInt8(0);
    store_to_load_ = UInt8(0);
    store_to_compute_ = UInt8(0);
    overflow_ = UInt1(0);
  }

 private:
  template <int kIndex>
  static UInt1 bit_of(const UInt<3>& bits) {
    return slice<kIndex, kIndex>(bits);
  }
  static UInt1 any(const UInt8& count) { return as_bit(count != 0); }

  void move(UInt8& count, bool given, bool taken, const UInt1& clear) {
    if (given && !taken && count == kMostTokens) overflow_ = UInt1(1);
    // One adder for both directions.
    if (given != taken) count = truncate<UInt8>(count + (given ? UInt8(1) : UInt8(255)));
    if (clear) count = UInt8(0);
  }

  UInt8 load_to_compute_, load_to_store_;
  UInt8 compute_to_load_, compute_to_store_;
  UInt8 store_to_load_, store_to_compute_;
  UInt1 overflow_;
};

}  // namespace systole::kernels
