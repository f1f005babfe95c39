#pragma once

#include "hls/kernels/vector/instruction.h"
#include "systole/hls/vec.h"

namespace systole::kernels {

/// Where a word lies: in its row, its row in the run, and in the tensor; in words and rows.
struct WordPosition {
  UInt32 column;
  UInt32 row;
  UInt32 word;
};

/// A source's six bits: 1 and a constant's place, 01 and a special source, 00 and a register.
constexpr bool is_constant(const UInt<6>& source) { return bit<5>(source); }
constexpr bool is_register(const UInt<6>& source) { return slice<5, 4>(source) == 0; }

constexpr bool takes_word(const VectorInstruction& instruction) {
  const UInt<6> stream = UInt<6>(kSourceStream);
  return instruction.a == stream || instruction.b == stream || instruction.c == stream;
}

/// What an operand may be in one lane.
struct OperandChoice {
  UInt32 from_register;
  UInt32 from_constant;
  UInt32 from_stream;
  UInt32 column;
  UInt32 row;
  UInt32 element;
};

constexpr UInt32 pick_operand(const UInt<6>& source, const OperandChoice& choice) {
  if (is_constant(source)) return choice.from_constant;
  if (is_register(source)) return choice.from_register;
  switch (slice<2, 0>(source).value()) {
    case kSourceStream % 8:
      return choice.from_stream;
    case kSourceOne % 8:
      return UInt32(0x3f800000);
    case kSourceMinusZero % 8:
      return UInt32(0x80000000u);
    case kSourceZero % 8:
      return UInt32(0);
    case kSourceUnit % 8:
      return UInt32(1);
    case kSourceColumn % 8:
      return choice.column;
    case kSourceRow % 8:
      return choice.row;
    default:
      return choice.element;
  }
}

/// Each lane's element of `word`, or with an exchange that of lane n ^ 2^k.
template <int kLanes>
constexpr Vec<UInt32, kLanes> exchange_lanes(const UInt<4>& exchange,
                                             const Vec<UInt32, kLanes>& word) {
  Vec<UInt32, kLanes> result = word;
#pragma unroll
  for (int k = 0; (1 << k) < kLanes; ++k) {
#pragma unroll
    for (int n = 0; n < kLanes; ++n) {
      if (exchange == UInt<4>::from(static_cast<unsigned>(kExchangeLane + k))) {
        result[n] = word[n ^ (1 << k)];
      }
    }
  }
  return result;
}

}  // namespace systole::kernels
