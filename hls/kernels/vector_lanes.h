#pragma once

#include "hls/kernels/engine.h"
#include "hls/kernels/store_lane.h"
#include "systole/hls/pipeline.h"

namespace systole::kernels {

/// How a row of sums is turned into bytes.
struct RowFormat {
  UInt<3> format;      ///< kStoreFormat...
  UInt1 is_int8;       ///< elements of one byte
  UInt1 is_word;       ///< elements of four bytes
  UInt1 relu;          ///< negative sums become 0
  UInt1 masked;        ///< lanes whose mask bit is 0 become 0
  UInt<2> last_step;   ///< clocks that the row takes in the lanes, less one
  UInt<2> last_chunk;  ///< chunks that it becomes, less one
  UInt16 scale;        ///< of int8 from int32
  UInt<5> shift;       ///< of int8 from int32
};

inline UInt1 is_int8_format(const UInt<3>& format) {
  const UInt1 same = ~(slice<1, 1>(format) ^ slice<0, 0>(format));
  return same & (slice<2, 2>(format) ^ slice<1, 1>(format));
}
inline UInt1 is_bf16_format(const UInt<3>& format) {
  return ~slice<2, 2>(format) & (slice<1, 1>(format) ^ slice<0, 0>(format));
}
static_assert(kStoreFormatBf16 == 1 && kStoreFormatBf16Stochastic == 2 &&
              kStoreFormatInt8FromFp32 == 3 && kStoreFormatInt8FromInt32 == 4);

/// The format of rows whose last element lies in this lane.
template <int kN>
RowFormat row_format(const StoreCommand& store, const UInt<index_bits(kN)>& last,
                     const UInt16& scale, const UInt<5>& shift) {
  constexpr int kLaneBits = index_bits(kN);
  const UInt1 is_int8 = is_int8_format(store.format);
  const UInt1 is_bf16 = is_bf16_format(store.format);
  const UInt1 is_word = ~(is_int8 | is_bf16);
  const UInt1 upper_half = slice<kLaneBits - 1, kLaneBits - 1>(last);
  const UInt1 odd_quarter = slice<kLaneBits - 2, kLaneBits - 2>(last);
  const UInt<2> last_chunk =
      concat(is_word & upper_half, (is_word & odd_quarter) | (is_bf16 & upper_half));
  return {.format = store.format,
          .is_int8 = is_int8,
          .is_word = is_word,
          .relu = store.relu,
          .masked = store.masked,
          .last_step = last_chunk == 0 ? UInt<2>(1) : last_chunk,
          .last_chunk = last_chunk,
          .scale = scale,
          .shift = shift};
}

/// Rows of sums through relu, mask and format to chunks of kBus bytes, in half the lanes of a row:
/// a row is taken whole and passes in steps of kN bytes, or of half its lanes as int8.
///
/// Shapes   sums[kN], mask bit n for lane n; a chunk is kBus bytes in words of four, lowest first:
///          kBus / kN steps, or those up to the row's end
/// Timing   a row enters last_step + 1 clocks (2 to 4) after the one before at the earliest. Its
///          first step leaves kLaneCycles clocks after it entered, int8 one later. Nothing stalls.
/// Numbers  docs/numerics.md section 4. Random numbers: lane n has its own state, which a seed s
///          sets to s xor (n * 0x9e3779b9 mod 2^32), or 1 where that is 0, and which takes one
///          random_step for each row of bf16_stochastic, whatever its cols; reset sets all to 1
/// Limits   a seed enters while the lanes are not busy, and with no row
template <int kN, bool kData = true, int kBus = kN>
struct VectorLanes {
  static_assert(kN >= 4 && (kN & (kN - 1)) == 0, "chunks are words of four bytes");
  static constexpr int kWords = kN / 4;     ///< of a step
  static constexpr int kParts = kBus / kN;  ///< of a chunk, each of a step
  static constexpr int kHalf = kN / 2;
  /// Lanes converted at once; int8 results come in whole words.
  static constexpr int kUnits = kHalf < 4 ? 4 : kHalf;
  static constexpr int kInt8Words = kUnits / 4;
  static constexpr int kInt8LastStep = kN / kUnits - 1;
  static constexpr int kLaneCycles = kStoreLaneStages + 3;

  using Chunk = Carried<Vec<UInt32, kBus / 4>, kData>;

  struct Inputs {
    UInt1 row_valid;                       ///< a row of sums enters
    RowFormat format;                      ///< how the row becomes bytes
    Carried<Vec<UInt32, kN>, kData> sums;  ///< one for each lane
    Carried<UInt<kN>, kData> mask;         ///< a bit for each lane
    UInt1 seed_valid;                      ///< a seed enters
    UInt32 seed;                           ///< of the random numbers
  };
  struct Outputs {
    UInt1 chunk_valid;  ///< a chunk leaves
    Chunk chunk;        ///< bytes of the row as wide as the bus
    UInt1 busy;         ///< a row is in the lanes
  };

  Outputs outputs() const {
    Outputs out;
    out.chunk_valid = chunk_valid_;
    if constexpr (kData) {
#pragma unroll
      for (int w = 0; w < kBus / 4; ++w) out.chunk[w] = chunk_[w];
    }
    out.busy = row_valid_ | operand_step_.valid | chunk_valid_;
#pragma unroll
    for (int i = 0; i < kStoreLaneStages; ++i) out.busy = out.busy | steps_[i].valid;
    return out;
  }

  void clock(const Inputs& in) {
    pack();
    convert();
    select();
    if constexpr (kData) {
      if (in.seed_valid) set_seed(in.seed);
    }
    if (in.row_valid) take(in);
  }

  void reset() {
    row_valid_ = UInt1(0);
    operand_step_.valid = UInt1(0);
    for (int i = 0; i < kStoreLaneStages; ++i) steps_[i].valid = UInt1(0);
    chunk_valid_ = UInt1(0);
    step_ = UInt<2>(0);
    if constexpr (kData) {
      for (int n = 0; n < kN; ++n) random_[n] = random_step(UInt32(1));
    }
  }

 private:
  /// What a step's elements become.
  struct Step {
    UInt1 valid;
    UInt1 is_int8;
    UInt1 is_word;
    UInt1 makes_chunk;                    ///< a chunk's last step
    Carried<UInt<2>, (kParts > 1)> part;  ///< of the chunk
  };

  // A row; in each step its first lanes leave, and the others move up.
  UInt1 row_valid_;
  RowFormat row_;
  UInt<2> step_;
  UInt32 sum_[kN];
  UInt1 mask_[kN];
  // After relu and mask.
  StoreTask task_;
  Step operand_step_;
  UInt32 operand_[kUnits];
  // Converted: the elements that are written, by their size.
  Step steps_[kStoreLaneStages];
  Carried<Pipeline<&store_word, kStoreLaneStages>[kWords], kData> words_;
  Carried<Pipeline<&store_narrow, kStoreLaneStages>[kUnits], kData> narrow_;
  UInt1 chunk_valid_;
  UInt32 chunk_[kBus / 4];
  UInt32 random_[kN];  ///< a step ahead, so that the numbers are there: the low halves

  void take(const Inputs& in) {
    row_valid_ = UInt1(1);
    row_ = in.format;
    step_ = UInt<2>(0);
    if constexpr (kData) {
#pragma unroll
      for (int n = 0; n < kN; ++n) {
        sum_[n] = in.sums[n];
        mask_[n] = truncate<UInt1>(in.mask >> UInt<6>::from(n));
      }
    }
  }

  void select() {
    operand_step_.valid = row_valid_;
    if (row_valid_) {
      const bool makes_chunk = row_.is_int8 ? step_ == UInt<2>(kInt8LastStep) : ends_chunk();
      task_ = {.format = row_.format, .scale = row_.scale, .shift = row_.shift};
      operand_step_ = {.valid = UInt1(1),
                       .is_int8 = row_.is_int8,
                       .is_word = row_.is_word,
                       .makes_chunk = as_bit(makes_chunk),
                       .part = {}};
      if constexpr (kParts > 1) operand_step_.part = part();
      if constexpr (kData) shift_out();
      row_valid_ = as_bit(step_ != row_.last_step);
      step_ = truncate<UInt<2>>(step_ + UInt1(1));
    }
  }

  /// Whether the step is a chunk's last one; after its last chunk a row may have an idle step.
  bool ends_chunk() const {
    if constexpr (kParts == 1) {
      return step_ <= row_.last_chunk;
    } else {
      return step_ == row_.last_chunk || (step_ < row_.last_chunk && part() == UInt<2>(kParts - 1));
    }
  }
  UInt<2> part() const { return step_ & UInt<2>(kParts - 1); }

  /// The first lanes of the row become operands, and the others move up.
  void shift_out() {
    for (int n = 0; n < kUnits; ++n) {
      const bool is_cleared = (row_.relu && bit<31>(sum_[n])) || (row_.masked && !mask_[n]);
      operand_[n] = is_cleared ? UInt32(0) : sum_[n];
    }
    if (row_.is_word) {
      for (int n = 0; n < kN - kWords; ++n) {
        sum_[n] = sum_[n + kWords];
        mask_[n] = mask_[n + kWords];
      }
    } else {
      for (int n = 0; n < kHalf; ++n) {
        sum_[n] = sum_[n + kHalf];
        mask_[n] = mask_[n + kHalf];
      }
    }
  }

  void convert() {
    for (int i = kStoreLaneStages - 1; i > 0; --i) steps_[i] = steps_[i - 1];
    steps_[0] = operand_step_;
    if constexpr (kData) convert_operands();
  }

  void convert_operands() {
    const UInt1 to_fp32 = as_bit(task_.format == kStoreFormatFp32FromInt32);
    for (int w = 0; w < kWords; ++w) words_[w].clock(to_fp32, operand_[w]);
    for (int n = 0; n < kUnits; ++n) {
      narrow_[n].clock(task_, operand_[n], slice<15, 0>(random_[n]));
    }
    if (operand_step_.valid && task_.format == kStoreFormatBf16Stochastic) {
      // Both halves of the states take turns, as the halves of the row do.
      for (int n = 0; n < kHalf; ++n) {
        const UInt32 stepped = random_step(random_[n]);
        random_[n] = random_[n + kHalf];
        random_[n + kHalf] = stepped;
      }
    }
  }

  void pack() {
    const Step step = steps_[kStoreLaneStages - 1];
    chunk_valid_ = step.valid & step.makes_chunk;
    if constexpr (kData) {
      if (step.valid) pack_results(step);
    }
  }

  void pack_results(const Step& step) {
    if (step.is_int8) {
      for (int w = 0; w < kWords - kInt8Words; ++w) chunk_[w] = chunk_[w + kInt8Words];
      for (int w = 0; w < kInt8Words; ++w) {
        chunk_[w + kWords - kInt8Words] =
            concat(concat(byte(4 * w + 3), byte(4 * w + 2)), concat(byte(4 * w + 1), byte(4 * w)));
      }
    } else if constexpr (kParts > 1) {
      for (int part = 0; part < kParts; ++part) {
        if (step.part == UInt<2>::from(part)) pack_part(step, part * kWords);
      }
    } else {
      pack_part(step, 0);
    }
  }

  /// The bytes of a step that is not int8, from this word of the chunk on.
  void pack_part(const Step& step, int first) {
    if (step.is_word) {
      for (int w = 0; w < kWords; ++w) chunk_[first + w] = words_[w].output();
    } else {
      for (int w = 0; w < kWords; ++w) {
        chunk_[first + w] = concat(narrow_[2 * w + 1].output(), narrow_[2 * w].output());
      }
    }
  }
  UInt8 byte(int unit) const { return slice<7, 0>(narrow_[unit].output()); }

  /// A step of the generator is linear over bits, so that of the seed serves all lanes.
  void set_seed(const UInt32& seed) {
    const UInt32 stepped = random_step(seed);
#pragma unroll
    for (int n = 0; n < kN; ++n) {
      const auto lane = UInt32::from(std::uint64_t{0x9e37'79b9} * n);
      random_[n] = seed == lane ? random_step(UInt32(1)) : stepped ^ random_step(lane);
    }
  }
};

}  // namespace systole::kernels
