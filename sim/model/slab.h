#pragma once

#include <cstdint>

#include "sim/model/block_kernels.h"
#include "sim/model/model_matmul.h"
#include "sim/model/panels.h"
#include "systole/support/ceil_div.h"

namespace systole {

/// A product as the blocks see it: lines of `a` times lines of `b`. If `transposed`, they are the
/// product's B and A, and the result is C's transpose.
struct Sides {
  Lines a, b;
  bool transposed;
};

/// The part of C that one thread computes at a time: panels of `a`, of kPanelRows lines, by panels
/// of `b`, of the wide block's columns.
struct Slab {
  std::int64_t first_a, a_panels, first_b, b_panels;
};

/// A thread's buffers for a slab.
///
/// Shapes   a: the slab's lines as pack_lines needs them, kChunkSteps deep; b: one panel of that
///          depth; offsets [block's cols]; sums [a's lines][b's lines]; row [a's lines]. Lines are
///          rounded up to whole panels, everything is aligned to 64 bytes
struct SlabSpace {
  std::uint32_t* a;
  std::uint32_t* b;
  std::uint32_t* offsets;
  std::uint32_t* sums;
  std::uint32_t* row;
};

/// Computes a product slab by slab: its sums stay in the cache from their start to their
/// conversion, or go straight to C where they need neither.
///
/// Limits   FlushToZero in the calling thread
struct SlabProduct {
  /// A panel of B of this depth stays in the first-level cache; a multiple of every tile's depth.
  static constexpr std::int64_t kChunkSteps = 256;

  const BlockKernels& kernels;
  const Sides& sides;
  const SumsPath& path;
  std::int64_t cols;   ///< of C
  std::int64_t steps;  ///< of the whole depth
  std::int64_t tile_steps;

  void multiply(const Slab& slab, const SlabSpace& space) const;

 private:
  /// The slab's first rows and columns whose sums blocks write into C themselves.
  struct Direct {
    std::int64_t rows = 0, cols = 0;
    bool streams = false;  ///< past the caches
  };
  Direct direct_part(const Slab& slab) const;
  void start_sums(const Slab& slab, const SlabSpace& space) const;
  void add_chunk(const Slab& slab, const SlabSpace& space, std::int64_t first_step) const;
  void finish_sums(const Slab& slab, const SlabSpace& space) const;
  void finish_row(std::uint32_t* sums, std::int64_t row, std::int64_t col,
                  std::int64_t count) const;
};

}  // namespace systole
