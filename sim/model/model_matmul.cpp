#include "sim/model/model_matmul.h"

#include <omp.h>

#include <algorithm>

#include "sim/model/flush_to_zero.h"
#include "sim/model/slab.h"

namespace systole {
namespace {

// The largest slab of C: 264 rows of panels that, a chunk deep, stay in the second-level cache
// (264 KiB), by 512 columns.
constexpr std::int64_t kSlabPanels = 22;
constexpr std::int64_t kSlabCols = 512;
// A panel's step takes about 4 ns, waking a team of threads some microseconds.
constexpr std::int64_t kStepsWorthThreads = 10'000;

PanelWords panel_words(DataType type, const BlockKernels& kernels) {
  if (type != DataType::kInt8) {
    return kernels.bf16_words == Bf16Words::kSingles ? PanelWords::kBf16 : PanelWords::kBf16Pairs;
  }
  return kernels.int8_words == Int8Words::kPairs ? PanelWords::kInt8Pairs : PanelWords::kInt8Quads;
}

/// The product or its transpose, whichever fills its blocks better: B^T A^T has the same bits,
/// because a multiply-add's operands may change places.
Sides choose_sides(const Product& product, const BlockKernels& kernels, const std::byte* a,
                   const std::byte* b) {
  const PanelWords words = panel_words(product.type, kernels);
  const Lines a_lines{.first = a,
                      .words = words,
                      .count = product.rows,
                      .depth = product.depth,
                      .line_stride = product.transpose_a ? 1 : product.depth,
                      .depth_stride = product.transpose_a ? product.rows : 1};
  const Lines b_lines{.first = b,
                      .words = words,
                      .count = product.cols,
                      .depth = product.depth,
                      .line_stride = product.transpose_b ? product.depth : 1,
                      .depth_stride = product.transpose_b ? 1 : product.cols};
  const auto padded = [&](std::int64_t rows, std::int64_t cols) {
    const auto in_blocks = [&](const BlockShape& shape, std::int64_t across) {
      return ceil_div(rows, shape.rows) * shape.rows * ceil_div(across, shape.cols) * shape.cols;
    };
    const std::int64_t last = cols % kernels.wide.cols;
    return last > kernels.narrow.cols
               ? in_blocks(kernels.wide, cols)
               : in_blocks(kernels.wide, cols - last) + in_blocks(kernels.narrow, last);
  };
  const std::int64_t straight = padded(product.rows, product.cols);
  const std::int64_t transposed = padded(product.cols, product.rows);
  // Columns across a long B, and sums across C, cost as much as they save if that is less.
  if (transposed * 2 < straight) return {.a = b_lines, .b = a_lines, .transposed = true};
  return {.a = a_lines, .b = b_lines, .transposed = false};
}

/// How many slabs C is cut into, down and across.
struct Cut {
  std::int64_t a_slabs, b_slabs;
};

Cut choose_cut(std::int64_t a_panels, std::int64_t b_panels, int block_cols, int threads) {
  Cut cut{ceil_div(a_panels, kSlabPanels), ceil_div(b_panels * block_cols, kSlabCols)};
  if (threads == 1 || cut.a_slabs * cut.b_slabs >= 4 * std::int64_t{threads}) return cut;
  // One slab for each thread: the longer side is cut finer, then, if necessary, the other.
  const bool b_is_longer = b_panels * block_cols >= a_panels * kPanelRows;
  std::int64_t& longer = b_is_longer ? cut.b_slabs : cut.a_slabs;
  std::int64_t& shorter = b_is_longer ? cut.a_slabs : cut.b_slabs;
  const std::int64_t longer_panels = b_is_longer ? b_panels : a_panels;
  const std::int64_t shorter_panels = b_is_longer ? a_panels : b_panels;
  longer = std::min(ceil_div(longer, threads) * threads, longer_panels);
  if (longer * shorter < threads) shorter = std::min(ceil_div(threads, longer), shorter_panels);
  return cut;
}

}  // namespace

void ModelMatmul::multiply(const Product& product, const std::byte* a, const std::byte* b,
                           const SumsPath& path) {
  const Sides sides = choose_sides(product, kernels_, a, b);
  const std::int64_t tile_steps = array_size_ / elements_of(sides.a.words);
  const bool in_unit = is_bf16(sides.a.words) && kernels_.in_unit(tile_steps);
  const std::int64_t steps = depth_steps(sides.a.words, product.depth, array_size_);
  const SlabProduct slabs{.kernels = kernels_,
                          .sides = sides,
                          .path = path,
                          .cols = product.cols,
                          .steps = in_unit ? ceil_div(steps, tile_steps) * tile_steps : steps,
                          .tile_steps = tile_steps};
  const std::int64_t a_panels = ceil_div(sides.a.count, kPanelRows);
  const std::int64_t b_panels = ceil_div(sides.b.count, kernels_.wide.cols);
  const bool is_small = a_panels * b_panels * slabs.steps < kStepsWorthThreads;
  const int threads = is_small ? 1 : threads_;
  const Cut cut = choose_cut(a_panels, b_panels, kernels_.wide.cols, threads);
  const std::int64_t most_a = ceil_div(a_panels, cut.a_slabs) * kPanelRows;
  const std::int64_t most_b = ceil_div(b_panels, cut.b_slabs) * kernels_.wide.cols;
  const std::int64_t chunk = std::min(SlabProduct::kChunkSteps, slabs.steps);

  // Allocated here, because an exception cannot leave the team of threads.
  if (workspaces_.size() < static_cast<std::size_t>(threads)) {
    workspaces_.resize(static_cast<std::size_t>(threads));
  }
  for (int i = 0; i < threads; ++i) {
    Workspace& own = workspaces_[static_cast<std::size_t>(i)];
    own.a.reserve(ceil_div(most_a, kPackedLanes) * kPackedLanes * ceil_div(chunk, kPackedLanes) *
                  kPackedLanes);
    own.b.reserve(kernels_.wide.cols * chunk);
    own.offsets.reserve(kernels_.wide.cols);
    own.sums.reserve(most_a * most_b);
    own.row.reserve(most_a);
  }

  const std::int64_t count = cut.a_slabs * cut.b_slabs;
  const auto panel = [](std::int64_t slab, std::int64_t slabs, std::int64_t panels) {
    return panels * slab / slabs;
  };
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const FlushToZero flush;
    const MatrixUnit unit(kernels_, tile_steps);
    Workspace& own = workspaces_[static_cast<std::size_t>(omp_get_thread_num())];
    const SlabSpace space{.a = own.a.get(),
                          .b = own.b.get(),
                          .offsets = own.offsets.get(),
                          .sums = own.sums.get(),
                          .row = own.row.get()};
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t down = i % cut.a_slabs;
      const std::int64_t across = i / cut.a_slabs;
      const std::int64_t first_a = panel(down, cut.a_slabs, a_panels);
      const std::int64_t first_b = panel(across, cut.b_slabs, b_panels);
      slabs.multiply({.first_a = first_a,
                      .a_panels = panel(down + 1, cut.a_slabs, a_panels) - first_a,
                      .first_b = first_b,
                      .b_panels = panel(across + 1, cut.b_slabs, b_panels) - first_b},
                     space);
    }
  }
}

void ModelMatmul::operator()(const Product& product, std::span<const std::byte> a,
                             std::span<const std::byte> b, std::span<std::uint32_t> c) {
  std::byte* const sums = std::as_writable_bytes(c).data();
  multiply(product, a.data(), b.data(),
           {.start = product.accumulate ? sums : nullptr, .start_stride = product.cols, .c = sums});
}

}  // namespace systole
