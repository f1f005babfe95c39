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

/// Whether a source has a meaning: 24 to 31 have none.
constexpr bool is_source(const UInt<6>& source) { return !(slice<5, 3>(source) == kSourceEnd / 8); }

constexpr bool takes_word(const VectorInstruction& instruction) {
  const UInt<6> stream = UInt<6>(kSourceStream);
  return instruction.a == stream || instruction.b == stream || instruction.c == stream;
}

/// Where an operand's word comes from; at most one of the five is set. `special` is 0 where a lane,
/// a constant or the stream has the word.
struct OperandSource {
  UInt1 leaves;  ///< its lane now, as a result
  UInt1 left;    ///< its lane a clock ago
  UInt1 is_read;
  UInt1 is_streamed;
  UInt1 is_constant;
  UInt32 special;
  UInt1 counts_lanes;  ///< to `special`, whose lowest bits are 0, each lane's number is added
};

/// `leaves` and `left` say that a register's word is forwarded, and are not set for other sources.
template <int kLanes>
constexpr OperandSource source_of(const UInt<6>& source, const UInt1& leaves, const UInt1& left,
                                  const WordPosition& at) {
  constexpr int kLog2 = index_bits(kLanes);
  const auto first_of = [](const UInt32& word) {
    return concat(slice<31 - kLog2, 0>(word), UInt<kLog2>(0));
  };
  const UInt<3> number = slice<2, 0>(source);
  const UInt1 reads = as_bit(is_register(source));
  const UInt1 constant = as_bit(is_constant(source));
  const UInt1 is_special = ~reads & ~constant;
  OperandSource found{.leaves = leaves,
                      .left = left & ~leaves,
                      .is_read = reads & ~leaves & ~left,
                      .is_streamed = is_special & as_bit(number == UInt<3>(kSourceStream % 8)),
                      .is_constant = constant,
                      .special = UInt32(0),
                      .counts_lanes = UInt1(0)};
  if (is_special) {
    switch (number.value()) {
      case kSourceOne % 8:
        found.special = UInt32(0x3f800000);
        break;
      case kSourceMinusZero % 8:
        found.special = UInt32(0x80000000u);
        break;
      case kSourceUnit % 8:
        found.special = UInt32(1);
        break;
      case kSourceColumn % 8:
        found.special = first_of(at.column);
        found.counts_lanes = UInt1(1);
        break;
      case kSourceRow % 8:
        found.special = at.row;
        break;
      case kSourceElement % 8:
        found.special = first_of(at.word);
        found.counts_lanes = UInt1(1);
        break;
      default:
        break;
    }
  }
  return found;
}

/// What an operand may be in one lane.
struct OperandChoice {
  UInt32 result;
  UInt32 last_result;
  UInt32 from_register;
  UInt32 from_stream;
  UInt32 from_constant;
};

/// The sources by ors, which are fewer levels of logic than selections in turn.
template <int kLanes>
constexpr UInt32 pick_operand(const OperandSource& source, const OperandChoice& choice, int lane) {
  const auto where = [](const UInt1& is_set, const UInt32& word) {
    return is_set ? word : UInt32(0);
  };
  constexpr int kLog2 = index_bits(kLanes);
  const UInt32 number = UInt32(UInt<kLog2>::from(static_cast<unsigned>(lane)));
  const UInt32 common = source.special | where(source.is_constant, choice.from_constant);
  return where(source.leaves, choice.result) | where(source.left, choice.last_result) |
         where(source.is_read, choice.from_register) |
         where(source.is_streamed, choice.from_stream) |
         (common | where(source.counts_lanes, number));
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
