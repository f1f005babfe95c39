#pragma once

#include <cstdint>

#include "sim/model/row_kernels.h"

namespace systole {

/// Rows of C that one block holds.
inline constexpr int kBlockRows = 6;

/// A block of C, kBlockRows x cols, and the panels of A and B it is the product of.
///
/// Shapes   a[steps][kBlockRows], b[steps][cols], 32-bit words as Bf16Words and Int8Words say, b
///          aligned to 64 bytes
/// Numbers  bf16: every `tile_steps` steps make one tile, a chain of multiply-adds from +0; the
///          last tile may be shorter. int8: tile_steps means nothing
struct Block {
  const std::uint32_t* a = nullptr;
  const std::uint32_t* b = nullptr;
  std::int64_t steps = 0;
  std::int64_t tile_steps = 0;
  std::uint32_t* c = nullptr;
  std::int64_t c_stride = 0;  ///< words from one row of C to the next
  bool overwrite = false;     ///< the first tile overwrites C; else it is added, as all others are
  const std::uint32_t* b_offsets = nullptr;  ///< [cols], of b's panel, where int8_offsets is
};

/// What a word of a bf16 panel holds: one operand as fp32, or two, the first in depth in the upper
/// half, because the instruction for pairs begins there.
enum class Bf16Words : std::uint8_t { kSingles = 1, kPairs = 2 };

/// What a word of an int8 panel holds, the first in depth in the lowest bits: two operands as
/// int16, or four as int8. Of four, those of A have 128 added, because the instruction for them
/// wants one side without signs; offsets take that out of the sums again.
enum class Int8Words : std::uint8_t { kPairs = 2, kQuads = 4 };

/// The arithmetic of the array and of the vector unit in one instruction set, all bit for bit the
/// same.
///
/// Limits   bf16 needs FlushToZero in the calling thread
struct BlockKernels {
  const char* name;
  int cols;  ///< columns of a block
  void (*bf16)(const Block& block);
  void (*int8)(const Block& block);
  Bf16Words bf16_words;
  Int8Words int8_words;
  /// offsets[cols] = what 128 in every element of A adds to the sums, negated; null for pairs.
  void (*int8_offsets)(const std::uint32_t* b, std::int64_t steps, std::uint32_t* offsets);
  RowKernels rows;
  bool (*runs_here)();
};

/// What this processor can run, the fastest first. The last one, "portable", runs everywhere: it is
/// the HLS C++ arithmetic itself, element by element.
struct BlockKernelList {
  static constexpr int kMost = 4;
  BlockKernels kernels[kMost];
  int count = 0;

  const BlockKernels* begin() const { return kernels; }
  const BlockKernels* end() const { return kernels + count; }
};
const BlockKernelList& block_kernels();

}  // namespace systole
