#include "sim/model/model_matmul.h"

#include <omp.h>

#include <algorithm>

#include "sim/model/flush_to_zero.h"

namespace systole {
namespace {

// A panel of B of this depth stays in the first-level cache; a multiple of every tile's depth.
constexpr std::int64_t kChunkSteps = 256;
// Panels of A that, at that depth, stay in the second-level cache: 240 KiB.
constexpr std::int64_t kGroupPanels = 40;
constexpr int kMostBlockCols = 64;
// A block's step takes some 2 ns, waking a team of threads some microseconds.
constexpr std::int64_t kStepsWorthThreads = 20'000;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A product as the blocks see it: lines of `a` times lines of `b`, with C's elements at
/// a_line * c_a_stride + b_line * c_b_stride. It may be the product's transpose.
struct Sides {
  Lines a, b;
  std::int64_t c_a_stride, c_b_stride;
};

/// C as a grid of blocks: panels of lines of `a` by panels of lines of `b`.
struct Grid {
  const Matmul& product;
  const BlockKernels& kernels;
  const Sides& sides;
  const std::uint32_t* a_panels;
  const std::uint32_t* b_panels;
  std::uint32_t* c;
  std::int64_t steps;
  std::int64_t tile_steps;

  std::int64_t a_count() const { return ceil_div(sides.a.count, kBlockRows); }
  std::int64_t b_count() const { return ceil_div(sides.b.count, kernels.cols); }

  /// The steps first .. first + count - 1 of one block.
  void multiply(std::int64_t a_panel, std::int64_t b_panel, std::int64_t first,
                std::int64_t count) const {
    const std::int64_t row = a_panel * kBlockRows;
    const std::int64_t col = b_panel * kernels.cols;
    const std::int64_t rows = std::min<std::int64_t>(kBlockRows, sides.a.count - row);
    const std::int64_t cols = std::min<std::int64_t>(kernels.cols, sides.b.count - col);
    std::uint32_t* corner = c + row * sides.c_a_stride + col * sides.c_b_stride;
    Block block{.a = a_panels + (a_panel * steps + first) * kBlockRows,
                .b = b_panels + (b_panel * steps + first) * kernels.cols,
                .steps = count,
                .tile_steps = tile_steps,
                .c = corner,
                .c_stride = sides.c_a_stride,
                .overwrite = first == 0 && !product.accumulate};
    if (rows == kBlockRows && cols == kernels.cols && sides.c_b_stride == 1) {
      run(block);
      return;
    }
    // A block over the edge of C, or across it, is computed beside it.
    alignas(64) std::uint32_t whole[kBlockRows * kMostBlockCols] = {};
    const auto each = [&](auto&& copy) {
      for (std::int64_t r = 0; r < rows; ++r) {
        std::uint32_t* out = corner + r * sides.c_a_stride;
        for (std::int64_t n = 0; n < cols; ++n) {
          copy(out[n * sides.c_b_stride], whole[r * kernels.cols + n]);
        }
      }
    };
    block.c = whole;
    block.c_stride = kernels.cols;
    if (!block.overwrite)
      each([](const std::uint32_t& in_c, std::uint32_t& in_block) { in_block = in_c; });
    run(block);
    each([](std::uint32_t& in_c, const std::uint32_t& in_block) { in_c = in_block; });
  }

 private:
  void run(const Block& block) const {
    product.type == DataType::kInt8 ? kernels.int8(block) : kernels.bf16(block);
  }
};

/// The product or its transpose, whichever fills its blocks better: B^T A^T has the same bits,
/// because a multiply-add's operands may change places.
Sides choose_sides(const Matmul& product, const BlockKernels& kernels, std::span<const std::byte> a,
                   std::span<const std::byte> b) {
  const Lines a_lines{.bytes = a,
                      .type = product.type,
                      .count = product.rows,
                      .depth = product.depth,
                      .line_stride = product.transpose_a ? 1 : product.depth,
                      .depth_stride = product.transpose_a ? product.rows : 1};
  const Lines b_lines{.bytes = b,
                      .type = product.type,
                      .count = product.cols,
                      .depth = product.depth,
                      .line_stride = product.transpose_b ? product.depth : 1,
                      .depth_stride = product.transpose_b ? 1 : product.cols};
  const auto padded = [&](std::int64_t rows, std::int64_t cols) {
    return ceil_div(rows, kBlockRows) * ceil_div(cols, kernels.cols);
  };
  const std::int64_t straight = padded(product.rows, product.cols);
  const std::int64_t transposed = padded(product.cols, product.rows);
  // Blocks across C cost a little, so the gain must be more than that.
  if (transposed * 5 < straight * 4) return {b_lines, a_lines, 1, product.cols};
  return {a_lines, b_lines, product.cols, 1};
}

/// One thread's share: blocks first .. last - 1 of the grid, in groups of row panels.
void multiply_share(const Grid& grid, std::int64_t group_panels, std::int64_t first,
                    std::int64_t last) {
  const std::int64_t b_panels = grid.b_count();
  for (std::int64_t step = 0; step < grid.steps; step += kChunkSteps) {
    const std::int64_t count = std::min(kChunkSteps, grid.steps - step);
    for (std::int64_t item = first; item < last; ++item) {
      const std::int64_t group = item / b_panels * group_panels;
      const std::int64_t end = std::min(group + group_panels, grid.a_count());
      for (std::int64_t a_panel = group; a_panel < end; ++a_panel) {
        grid.multiply(a_panel, item % b_panels, step, count);
      }
    }
  }
}

}  // namespace

void ModelMatmul::operator()(const Matmul& product, std::span<const std::byte> a,
                             std::span<const std::byte> b, std::span<std::uint32_t> c) {
  const Sides sides = choose_sides(product, kernels_, a, b);
  const std::int64_t steps = depth_steps(product.type, product.depth, array_size_);
  const std::int64_t a_count = ceil_div(sides.a.count, kBlockRows);
  const std::int64_t b_count = ceil_div(sides.b.count, kernels_.cols);
  std::uint32_t* const a_panels = a_panels_.reserve(a_count * kBlockRows * steps);
  std::uint32_t* const b_panels = b_panels_.reserve(b_count * kernels_.cols * steps);
  const Grid grid{.product = product,
                  .kernels = kernels_,
                  .sides = sides,
                  .a_panels = a_panels,
                  .b_panels = b_panels,
                  .c = c.data(),
                  .steps = steps,
                  .tile_steps = array_size_};

  // What takes less time than to wake a thread is left to one; else groups of panels are small
  // enough that every thread gets several.
  const std::int64_t block_steps = a_count * b_count * steps;
  const int threads = block_steps < kStepsWorthThreads ? 1 : threads_;
  const std::int64_t fair = ceil_div(a_count * b_count, std::int64_t{4} * threads);
  const std::int64_t group_panels =
      threads == 1 ? kGroupPanels : std::clamp<std::int64_t>(fair, 1, kGroupPanels);
  const std::int64_t items = ceil_div(a_count, group_panels) * b_count;

#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const FlushToZero flush;
#pragma omp for schedule(static) nowait
    for (std::int64_t panel = 0; panel < a_count; ++panel) {
      pack_panel(sides.a, panel * kBlockRows, kBlockRows, steps,
                 a_panels + panel * kBlockRows * steps);
    }
#pragma omp for schedule(static)
    for (std::int64_t panel = 0; panel < b_count; ++panel) {
      pack_panel(sides.b, panel * kernels_.cols, kernels_.cols, steps,
                 b_panels + panel * kernels_.cols * steps);
    }
    const std::int64_t thread = omp_get_thread_num();
    const std::int64_t team = omp_get_num_threads();
    multiply_share(grid, group_panels, items * thread / team, items * (thread + 1) / team);
  }
}

}  // namespace systole
