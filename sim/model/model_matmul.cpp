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

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// C as a grid of blocks: panels of rows by panels of columns.
struct Grid {
  const Matmul& product;
  const BlockKernels& kernels;
  const std::uint32_t* a_panels;
  const std::uint32_t* b_panels;
  std::span<std::uint32_t> c;
  std::int64_t steps;
  std::int64_t tile_steps;

  std::int64_t row_panels() const { return ceil_div(product.rows, kBlockRows); }
  std::int64_t col_panels() const { return ceil_div(product.cols, kernels.cols); }

  /// The steps first .. first + count - 1 of one block.
  void multiply(std::int64_t row_panel, std::int64_t col_panel, std::int64_t first,
                std::int64_t count) const {
    const std::int64_t row = row_panel * kBlockRows;
    const std::int64_t col = col_panel * kernels.cols;
    const std::int64_t rows = std::min<std::int64_t>(kBlockRows, product.rows - row);
    const std::int64_t cols = std::min<std::int64_t>(kernels.cols, product.cols - col);
    std::uint32_t* corner = &c[static_cast<std::size_t>(row * product.cols + col)];
    Block block{.a = a_panels + (row_panel * steps + first) * kBlockRows,
                .b = b_panels + (col_panel * steps + first) * kernels.cols,
                .steps = count,
                .tile_steps = tile_steps,
                .c = corner,
                .c_stride = product.cols,
                .overwrite = first == 0 && !product.accumulate};
    if (rows == kBlockRows && cols == kernels.cols) {
      run(block);
      return;
    }
    // A block over the edge of C is computed beside it.
    std::uint32_t whole[kBlockRows * kMostBlockCols] = {};
    block.c = whole;
    block.c_stride = kernels.cols;
    if (!block.overwrite) {
      for (std::int64_t r = 0; r < rows; ++r) {
        std::copy_n(corner + r * product.cols, cols, whole + r * kernels.cols);
      }
    }
    run(block);
    for (std::int64_t r = 0; r < rows; ++r) {
      std::copy_n(whole + r * kernels.cols, cols, corner + r * product.cols);
    }
  }

 private:
  void run(const Block& block) const {
    product.type == DataType::kInt8 ? kernels.int8(block) : kernels.bf16(block);
  }
};

/// One thread's share: blocks first .. last - 1 of the grid, in groups of row panels.
void multiply_share(const Grid& grid, std::int64_t group_panels, std::int64_t first,
                    std::int64_t last) {
  const std::int64_t col_panels = grid.col_panels();
  for (std::int64_t step = 0; step < grid.steps; step += kChunkSteps) {
    const std::int64_t count = std::min(kChunkSteps, grid.steps - step);
    for (std::int64_t item = first; item < last; ++item) {
      const std::int64_t group = item / col_panels * group_panels;
      const std::int64_t end = std::min(group + group_panels, grid.row_panels());
      for (std::int64_t row_panel = group; row_panel < end; ++row_panel) {
        grid.multiply(row_panel, item % col_panels, step, count);
      }
    }
  }
}

}  // namespace

void ModelMatmul::operator()(const Matmul& product, std::span<const std::byte> a,
                             std::span<const std::byte> b, std::span<std::uint32_t> c) {
  const std::int64_t depth = product.depth;
  const Lines a_lines{.bytes = a,
                      .type = product.type,
                      .count = product.rows,
                      .depth = depth,
                      .line_stride = product.transpose_a ? 1 : depth,
                      .depth_stride = product.transpose_a ? product.rows : 1};
  const Lines b_lines{.bytes = b,
                      .type = product.type,
                      .count = product.cols,
                      .depth = depth,
                      .line_stride = product.transpose_b ? depth : 1,
                      .depth_stride = product.transpose_b ? 1 : product.cols};
  const std::int64_t steps = depth_steps(product.type, depth, array_size_);
  const std::int64_t row_panels = ceil_div(product.rows, kBlockRows);
  const std::int64_t col_panels = ceil_div(product.cols, kernels_.cols);
  std::uint32_t* const a_panels = a_panels_.reserve(row_panels * kBlockRows * steps);
  std::uint32_t* const b_panels = b_panels_.reserve(col_panels * kernels_.cols * steps);
  const Grid grid{.product = product,
                  .kernels = kernels_,
                  .a_panels = a_panels,
                  .b_panels = b_panels,
                  .c = c,
                  .steps = steps,
                  .tile_steps = array_size_};

  // Groups small enough that every thread gets several.
  const std::int64_t fair = ceil_div(row_panels * col_panels, std::int64_t{4} * threads_);
  const std::int64_t group_panels =
      threads_ == 1 ? kGroupPanels : std::clamp<std::int64_t>(fair, 1, kGroupPanels);
  const std::int64_t items = ceil_div(row_panels, group_panels) * col_panels;

#pragma omp parallel num_threads(threads_)
  {
    const FlushToZero flush;
#pragma omp for schedule(static) nowait
    for (std::int64_t panel = 0; panel < row_panels; ++panel) {
      pack_panel(a_lines, panel * kBlockRows, kBlockRows, steps,
                 a_panels + panel * kBlockRows * steps);
    }
#pragma omp for schedule(static)
    for (std::int64_t panel = 0; panel < col_panels; ++panel) {
      pack_panel(b_lines, panel * kernels_.cols, kernels_.cols, steps,
                 b_panels + panel * kernels_.cols * steps);
    }
    const std::int64_t thread = omp_get_thread_num();
    const std::int64_t team = omp_get_num_threads();
    multiply_share(grid, group_panels, items * thread / team, items * (thread + 1) / team);
  }
}

}  // namespace systole
