#pragma once

#include "hls/kernels/load_parts.h"

namespace systole::kernels {

/// What becomes of N bytes on their way into a chunk, N bytes of a buffer's word.
///
/// An int8 word is one chunk, a bf16 word two, a word of sums four.
template <int kN>
struct LoadMove {
  using Lane = UInt<index_bits(kN)>;
  UInt1 zero;   ///< zeros instead of the bytes
  Lane rotate;  ///< byte i goes to lane i + rotate
  Lane from;    ///< lanes below hold what came before
  UInt1 wraps;  ///< the chunk is full; lanes below `from` are the next one's
  UInt1 emits;  ///< the chunk goes into its word
  UInt1 last;   ///< of its row: zeros from lane `end` on, and in the word's later chunks
  Lane end;
  UInt<2> chunk;
  UInt<2> buffer;
  UInt<2> type;
};

/// The data path of load: turns bytes to their lanes, merges them into chunks, and those into
/// words.
///
/// Timing   what enters is in its word two clocks later; one move a clock. Words hold still where
///          nothing enters
template <int kN>
struct LoadLanes {
  using Lane = typename LoadMove<kN>::Lane;

  struct Inputs {
    UInt1 valid;
    Vec<UInt8, kN> data;
    LoadMove<kN> move;
  };
  struct Outputs {
    Vec<UInt16, kN> operands;
    Vec<UInt32, kN> sums;
    UInt<kN> mask;
  };

  Outputs outputs() const {
    Outputs out;
    out.mask = UInt<kN>(0);
#pragma unroll
    for (int n = 0; n < kN; ++n) {
      out.operands[n] = operand_[n];
      out.sums[n] = sum_[n];
      out.mask = out.mask | (UInt<kN>(mask_[n]) << UInt<6>::from(n));
    }
    return out;
  }

  void clock(const Inputs& in) {
    if (valid_) {
      Vec<UInt8, kN> turned;
      Vec<UInt8, kN> merged;
#pragma unroll
      for (int n = 0; n < kN; ++n) {
        const Lane lane = truncate<Lane>(Lane::from(n) - move_.rotate);
        turned[n] = move_.zero ? UInt8(0) : data_[lane.value()];
      }
#pragma unroll
      for (int n = 0; n < kN; ++n) {
        const bool old = Lane::from(n) < move_.from;
        const bool behind = move_.last && Lane::from(n) >= move_.end && move_.end != 0;
        merged[n] = old ? chunk_[n] : (behind ? UInt8(0) : turned[n]);
      }
#pragma unroll
      for (int n = 0; n < kN; ++n) chunk_[n] = move_.wraps ? turned[n] : merged[n];
      if (move_.emits) emit(merged);
    }
    valid_ = in.valid;
    if (in.valid) {
      move_ = in.move;
      if (!in.move.zero) {
#pragma unroll
        for (int n = 0; n < kN; ++n) data_[n] = in.data[n];
      }
    }
  }

  void reset() { valid_ = UInt1(0); }

 private:
  UInt1 valid_;
  LoadMove<kN> move_;
  UInt8 data_[kN];
  UInt8 chunk_[kN];  ///< what has come of a chunk that is not full
  UInt16 operand_[kN];
  UInt32 sum_[kN];
  UInt1 mask_[kN];

  /// A chunk goes to its place in the word; behind a row's last chunk come zeros.
  void emit(const Vec<UInt8, kN>& bytes) {
    if (move_.buffer == kLoadBufferAccumulators) {
#pragma unroll
      for (int n = 0; n < kN; ++n) {
        if (takes(n / (kN / 4))) {
          const int i = n % (kN / 4) * 4;
          sum_[n] = fills(n / (kN / 4)) ? UInt32(0)
                                        : concat(concat(bytes[i + 3], bytes[i + 2]),
                                                 concat(bytes[i + 1], bytes[i]));
        }
      }
    } else {
#pragma unroll
      for (int n = 0; n < kN; ++n) {
        if (move_.type == kLoadTypeInt8) {
          set(n, truncate<UInt16>(Int16(as_signed(bytes[n]))),
              as_bit(!bit<7>(bytes[n]) && bytes[n] != 0));
        } else if (takes(n / (kN / 2))) {
          const int i = n % (kN / 2) * 2;
          const UInt16 value = fills(n / (kN / 2)) ? UInt16(0) : concat(bytes[i + 1], bytes[i]);
          set(n, value, as_bit(value != 0 && value <= 0x7f80));
        }
      }
    }
  }
  /// Whether chunk `part` of the word is written now, and whether with zeros.
  bool takes(int part) const { return move_.chunk == UInt<2>::from(part) || fills(part); }
  bool fills(int part) const { return move_.last && move_.chunk < UInt<2>::from(part); }

  void set(int n, const UInt16& value, const UInt1& positive) {
    if (move_.buffer == kLoadBufferMasks) {
      mask_[n] = positive;
    } else {
      operand_[n] = value;
    }
  }
};

}  // namespace systole::kernels
