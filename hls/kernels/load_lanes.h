#pragma once

#include "hls/kernels/load_parts.h"

namespace systole::kernels {

/// What becomes of a beat's bytes on their way into a chunk, kBus bytes of buffers' words.
///
/// Where the bus has N bytes, an int8 word is one chunk, a bf16 word two, a word of sums four; on a
/// wider bus a chunk may hold two or four words.
template <int kN, int kBus = kN>
struct LoadMove {
  using Lane = UInt<index_bits(kBus)>;
  using Count = UInt<index_bits(kBus) + 1>;
  static constexpr bool kHasMore = kBus > kN;
  UInt1 zero;                       ///< zeros instead of the bytes
  Lane rotate;                      ///< byte i goes to lane i + rotate
  Lane from;                        ///< lanes below hold what came before
  UInt1 wraps;                      ///< the chunk is full; lanes below `from` are the next one's
  UInt1 emits;                      ///< the chunk goes into its word
  UInt1 last;                       ///< of its row: zeros in the word's later chunks
  Count end;                        ///< zeros from this lane on
  UInt<2> chunk;                    ///< its number in the word
  UInt<2> buffer;                   ///< kLoadBuffer number
  UInt<2> type;                     ///< of its elements in memory
  Carried<UInt<2>, kHasMore> more;  ///< words that the chunk ends, after its first
};

/// The data path of load: turns bytes to their lanes, merges them into chunks, and those into
/// words.
///
/// Timing   what enters is in its word three clocks later, and in the chunk's later words one clock
///          apart; one move a clock. Words hold still where nothing enters
/// Limits   a chunk leaves when all words of the one before have
template <int kN, bool kData = true, int kBus = kN>
struct LoadLanes {
  using Move = LoadMove<kN, kBus>;
  using Lane = typename Move::Lane;
  using Count = typename Move::Count;

  struct Inputs {
    UInt1 valid;                            ///< a beat or a step of zeros enters
    Carried<Vec<UInt8, kBus>, kData> data;  ///< the bytes of the beat
    Move move;                              ///< where the bytes go
  };
  struct Outputs {
    Carried<Vec<UInt16, kN>, kData> operands;  ///< the word for rows or weights
    Carried<Vec<UInt32, kN>, kData> sums;      ///< the row for the accumulators
    Carried<UInt<kN>, kData> mask;             ///< the row for the masks
  };

  Outputs outputs() const {
    Outputs out;
    if constexpr (kData) {
      for (int n = 0; n < kN; ++n) {
        out.operands[n] = operand_[n];
        out.sums[n] = sum_[n];
      }
      out.mask = packed<0, kN>();
    }
    return out;
  }

  void clock(const Inputs& in) {
    if constexpr (kData) move(in);
  }

  void reset() {
    valid_ = UInt1(0);
    turned_valid_ = UInt1(0);
    if constexpr (Move::kHasMore) more_ = UInt<2>(0);
  }

 private:
  static constexpr int kHalves = kBus == kN ? 2 : 1;  ///< chunks of a bf16 word

  UInt1 valid_;
  Move move_;
  UInt8 data_[kBus];
  UInt1 turned_valid_;
  Move turned_move_;
  UInt8 turned_[kBus];
  UInt8 chunk_[kBus];   ///< what has come of a chunk that is not full
  UInt8 merged_[kBus];  ///< with what comes now; a wire
  UInt16 operand_[kN];
  UInt32 sum_[kN];
  UInt1 mask_[kN];
  // Of a chunk with several words, those that have not left; the next one is lowest.
  UInt<2> more_;
  UInt8 rest_[kBus];
  UInt1 rest_is_mask_;
  UInt1 rest_is_int8_;

  void move(const Inputs& in) {
    if constexpr (Move::kHasMore) {
      if (!(turned_valid_ && turned_move_.emits) && more_ != 0) emit_rest();
    }
    if (turned_valid_) {
      merge();
      if (turned_move_.emits) emit();
      keep();
    }
    if (valid_) turn();
    turned_valid_ = valid_;
    turned_move_ = move_;
    if (in.valid && !in.move.zero) {
      for (int n = 0; n < kBus; ++n) data_[n] = in.data[n];
    }
    valid_ = in.valid;
    move_ = in.move;
  }

  /// Byte i of a beat goes to lane i + rotate.
  void turn() {
    for (int n = 0; n < kBus; ++n) {
      const Lane lane = truncate<Lane>(Lane::from(n) - move_.rotate);
      turned_[n] = move_.zero ? UInt8(0) : data_[lane.value()];
    }
  }

  void merge() {
    for (int n = 0; n < kBus; ++n) {
      merged_[n] = Count::from(n) >= turned_move_.end   ? UInt8(0)
                   : Count::from(n) < turned_move_.from ? chunk_[n]
                                                        : turned_[n];
    }
  }
  void keep() {
    for (int n = 0; n < kBus; ++n) chunk_[n] = turned_move_.wraps ? turned_[n] : merged_[n];
  }

  /// A chunk goes to its place in the word; zeros follow a row's last chunk.
  void emit() {
    if (turned_move_.buffer == kLoadBufferAccumulators) {
      emit_sums();
    } else if (turned_move_.buffer == kLoadBufferMasks) {
      emit_mask();
    } else {
      emit_operands();
    }
    if constexpr (Move::kHasMore) hold_rest();
  }

  void emit_sums() {
    for (int part = 0; part < 4 * kN / kBus; ++part) {
      if (!takes(part)) continue;
      for (int n = 0; n < kBus / 4; ++n) {
        const UInt16 low = concat(merged_[4 * n + 1], merged_[4 * n]);
        const UInt16 high = concat(merged_[4 * n + 3], merged_[4 * n + 2]);
        sum_[part * (kBus / 4) + n] = fills(part) ? UInt32(0) : concat(high, low);
      }
    }
  }

  void emit_operands() {
    if (turned_move_.type == kLoadTypeInt8) {
      for (int n = 0; n < kN; ++n) {
        operand_[n] = truncate<UInt16>(Int16(as_signed(merged_[n])));
      }
      return;
    }
    for (int part = 0; part < kHalves; ++part) {
      if (!takes(part)) continue;
      for (int n = 0; n < kN / kHalves; ++n) {
        operand_[part * (kN / kHalves) + n] =
            fills(part) ? UInt16(0) : concat(merged_[2 * n + 1], merged_[2 * n]);
      }
    }
  }

  void emit_mask() {
    if (turned_move_.type == kLoadTypeInt8) {
      for (int n = 0; n < kN; ++n) {
        mask_[n] = as_bit(!bit<7>(merged_[n]) && merged_[n] != 0);
      }
      return;
    }
    for (int part = 0; part < kHalves; ++part) {
      if (!takes(part)) continue;
      for (int n = 0; n < kN / kHalves; ++n) {
        const UInt16 value = concat(merged_[2 * n + 1], merged_[2 * n]);
        mask_[part * (kN / kHalves) + n] = as_bit(!fills(part) && value != 0 && value <= 0x7f80);
      }
    }
  }

  /// A chunk's later words, where it has some; a word of sums is a chunk, or several.
  void hold_rest() {
    more_ = turned_move_.more;
    rest_is_mask_ = as_bit(turned_move_.buffer == kLoadBufferMasks);
    rest_is_int8_ = as_bit(turned_move_.type == kLoadTypeInt8);
    for (int n = 0; n < kBus; ++n) {
      rest_[n] = turned_move_.type == kLoadTypeInt8 ? merged_[(n + kN) % kBus]
                                                    : merged_[(n + 2 * kN) % kBus];
    }
  }
  void emit_rest() {
    more_ = truncate<UInt<2>>(more_ - UInt1(1));
    for (int n = 0; n < kN; ++n) {
      const UInt8 byte = rest_[n];
      const UInt16 value = concat(rest_[(2 * n + 1) % kBus], rest_[2 * n % kBus]);
      if (rest_is_mask_) {
        mask_[n] =
            as_bit(rest_is_int8_ ? !bit<7>(byte) && byte != 0 : value != 0 && value <= 0x7f80);
      } else {
        operand_[n] = rest_is_int8_ ? truncate<UInt16>(Int16(as_signed(byte))) : value;
      }
    }
    for (int n = 0; n < kBus; ++n) {
      rest_[n] = rest_is_int8_ ? rest_[(n + kN) % kBus] : rest_[(n + 2 * kN) % kBus];
    }
  }

  /// Bits of the mask side by side, the lowest first.
  template <int kFirst, int kCount>
  UInt<kCount> packed() const {
    if constexpr (kCount == 1) {
      return mask_[kFirst];
    } else {
      return concat(packed<kFirst + kCount / 2, kCount / 2>(), packed<kFirst, kCount / 2>());
    }
  }

  /// Whether chunk `part` of the word is written now, and whether with zeros.
  bool takes(int part) const { return turned_move_.chunk == UInt<2>::from(part) || fills(part); }
  bool fills(int part) const {
    return turned_move_.last && turned_move_.chunk < UInt<2>::from(part);
  }
};

}  // namespace systole::kernels
