#pragma once

#include <cstdint>

#include "sim/model/row_kernels.h"

namespace systole {

/// A block of C, rows x cols of a BlockShape, and the lines of A and B whose product it is.
///
/// Shapes   a: word `step` of row r is a[r * a_row + step * a_step]; b[steps][cols], aligned to 64
///          bytes. 32-bit words in the layouts of Bf16Words and Int8Words
/// Numbers  bf16: every `tile_steps` steps make one tile, a chain of multiply-adds from +0; the
///          last tile may be shorter. int8: tile_steps is ignored
struct Block {
  const std::uint32_t* a = nullptr;
  std::int64_t a_row = 0, a_step = 0;
  const std::uint32_t* b = nullptr;
  std::int64_t steps = 0;
  std::int64_t tile_steps = 0;
  std::uint32_t* c = nullptr;
  std::int64_t c_stride = 0;  ///< words from one row of C to the next
  bool overwrite = false;     ///< the first tile overwrites C; otherwise it is added, like the rest
  bool streams = false;       ///< bf16: may write C, at multiples of 64 bytes, past the caches
  const std::uint32_t* b_offsets = nullptr;  ///< [cols], for b's panel, if int8_offsets is set
  std::uint32_t* b_exponent = nullptr;       ///< 0, and then what the first block found out about b
};

/// Kernels for blocks of one size.
///
/// Limits   bf16 needs FlushToZero and MatrixUnit in the calling thread
struct BlockShape {
  int rows, cols;
  void (*bf16)(const Block& block);
  void (*int8)(const Block& block);
  /// Computes offsets[cols]: minus what the 128 in every element of A adds to the sums; null for
  /// pairs.
  void (*int8_offsets)(const std::uint32_t* b, std::int64_t steps, std::uint32_t* offsets);
};

/// Rows of C whose operands are packed together: a multiple of every block's.
inline constexpr int kPanelRows = 12;

/// The content of a word of a bf16 panel: one operand as fp32, or two, the first in depth in the
/// upper half, where the instruction for pairs begins.
enum class Bf16Words : std::uint8_t { kSingles = 1, kPairs = 2 };

/// The content of a word of an int8 panel, the first in depth in the lowest bits: two operands as
/// int16, or four as int8. The instruction for four needs one unsigned side, so those of A have 128
/// added; offsets remove that from the sums.
enum class Int8Words : std::uint8_t { kPairs = 2, kQuads = 4 };

/// The processor's matrix unit, as bf16 blocks use it; all null where there is none.
///
/// Limits   blocks whose tiles have at most `tile_steps` steps then have whole tiles, with zeros
///          beyond the depth, and the words of a row of A side by side
struct MatrixUnitUse {
  std::int64_t tile_steps = 0;
  void (*begin)(std::int64_t tile_steps) = nullptr;  ///< sets the calling thread's unit up
  void (*end)() = nullptr;
};

/// The arithmetic of the array in one instruction set; all sets give the same bits.
struct BlockKernels {
  const char* name;
  BlockShape wide, narrow;  ///< narrow: half the columns, at least as many rows
  Bf16Words bf16_words;
  Int8Words int8_words;
  RowKernels rows;
  bool (*runs_here)();
  MatrixUnitUse unit = {};

  bool in_unit(std::int64_t steps) const { return steps <= unit.tile_steps; }
};

/// Configures the calling thread's matrix unit for tiles of `tile_steps` steps while it lives.
class MatrixUnit {
 public:
  MatrixUnit(const BlockKernels& kernels, std::int64_t tile_steps)
      : end_(kernels.in_unit(tile_steps) ? kernels.unit.end : nullptr) {
    if (end_ != nullptr) kernels.unit.begin(tile_steps);
  }
  ~MatrixUnit() {
    if (end_ != nullptr) end_();
  }
  MatrixUnit(const MatrixUnit&) = delete;
  MatrixUnit& operator=(const MatrixUnit&) = delete;

 private:
  void (*end_)();
};

/// The sets that this processor can run, fastest first. The last one, "portable", runs everywhere:
/// it is the HLS C++ arithmetic itself, element by element.
struct BlockKernelList {
  static constexpr int kMost = 5;
  BlockKernels kernels[kMost];
  int count = 0;

  const BlockKernels* begin() const { return kernels; }
  const BlockKernels* end() const { return kernels + count; }
};
const BlockKernelList& block_kernels();

/// The fastest set that needs no matrix unit.
const BlockKernels& fastest_by_vectors();

}  // namespace systole
