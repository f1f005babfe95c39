#include "host/compiler/schedule/block_plan.h"

#include <algorithm>

#include "host/compiler/schedule/patches.h"

namespace systole {

namespace {

/// What a plan's blocks and chunks must be multiples of, unless they are all there is, and what of
/// the depth is cut into chunks by itself.
struct Units {
  std::int64_t block_rows = 1, chunk_tiles = 1;
  std::int64_t depth = 0;
  bool by_lines = false;
};

Units units_of(const Product& product, const DeviceSizes& sizes) {
  const auto patches = find_patches(product, sizes);
  if (!patches) return {.depth = product.depth};
  if (product.transpose_a) {
    return {.block_rows = patches->unit_rows(),
            .depth = patches->by_lines() ? patches->positions() : product.depth,
            .by_lines = patches->by_lines()};
  }
  if (patches->by_lines()) return {.depth = patches->line_elements(), .by_lines = true};
  return {.chunk_tiles = patches->unit_tiles(), .depth = product.depth};
}

/// Words of the rows buffer for a block of A, of a chunk by so many tiles.
std::int64_t words_of_a(const Product& product, std::int64_t block_rows, std::int64_t chunk_tiles,
                        const DeviceSizes& sizes) {
  const std::int64_t n = sizes.array_size;
  if (const auto patches = find_patches(product, sizes); patches && patches->by_lines()) {
    const std::int64_t chunk = std::min(chunk_tiles * n, patches->positions());
    const std::int64_t rows =
        product.transpose_a
            ? chunk + (block_rows / patches->line_elements() - 1) * patches->line_rows()
            : patches->most_rows(block_rows);
    return rows * patches->line_tiles();
  }
  return (product.transpose_a ? ceil_div(block_rows, n) * n : block_rows) * chunk_tiles;
}

/// Of accumulators.
std::int64_t rows_of_group(const BlockPlan& plan, const DeviceSizes& sizes) {
  return plan.both_banks ? sizes.bank_stride + sizes.bank_rows : sizes.bank_rows;
}

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return ceil_div(value, unit) * unit;
}

}  // namespace

std::vector<Group> groups_of(const Product& product, const BlockPlan& plan,
                             const DeviceSizes& sizes) {
  const std::int64_t n = sizes.array_size;
  const std::int64_t tiles = ceil_div(product.cols, n);
  std::vector<Group> groups;
  const auto add = [&](std::int64_t row, std::int64_t tile) {
    const std::int64_t rows = std::min(plan.block_rows, product.rows - row);
    groups.push_back({.block_row = row,
                      .block_rows = rows,
                      .row = row,
                      .rows = rows,
                      .tile = tile,
                      .tiles = std::min(plan.group_tiles, tiles - tile)});
  };
  if (plan.by_columns) {
    for (std::int64_t tile = 0; tile < tiles; tile += plan.group_tiles) {
      for (std::int64_t row = 0; row < product.rows; row += plan.block_rows) add(row, tile);
    }
  } else {
    for (std::int64_t row = 0; row < product.rows; row += plan.block_rows) {
      for (std::int64_t tile = 0; tile < tiles; tile += plan.group_tiles) add(row, tile);
    }
  }
  if (!plan.tapers) return groups;

  // The last column tile becomes a group of its own, and so does the last quarter of its rows.
  if (groups.back().tiles > 1) {
    Group last = groups.back();
    groups.back().tiles -= 1;
    last.tile += last.tiles - 1;
    last.tiles = 1;
    groups.push_back(last);
  }
  const std::int64_t rest = groups.back().rows / 4 / n * n;
  if (rest > 0 && !units_of(product, sizes).by_lines) {
    const std::int64_t most = groups.back().rows / n * n - rest;
    Group last = groups.back();
    groups.back().rows = most;
    last.row += most;
    last.rows -= most;
    groups.push_back(last);
  }
  return groups;
}

std::vector<Chunk> chunks_of(const Product& product, const BlockPlan& plan,
                             const DeviceSizes& sizes, bool is_first_block) {
  const std::int64_t n = sizes.array_size;
  const Units units = units_of(product, sizes);
  const bool ramps_up = plan.ramps_up && is_first_block && !units.by_lines;
  std::vector<Chunk> chunks;
  std::int64_t size = ramps_up ? units.chunk_tiles : plan.chunk_tiles;
  for (std::int64_t start = 0; start < product.depth; start += units.depth) {
    const std::int64_t depth = std::min(units.depth, product.depth - start);
    for (std::int64_t first = 0; first < depth;) {
      const std::int64_t part = std::min(size * n, depth - first);
      chunks.push_back({start + first, part, ceil_div(part, n)});
      first += part;
      // 1, 1, 2, 4, ...: while a chunk is loaded, as many tiles as it has are computed.
      if (size < plan.chunk_tiles) size = std::min(first / n, plan.chunk_tiles);
    }
  }
  return chunks;
}

bool fits(const Product& product, const BlockPlan& plan, const DeviceSizes& sizes) {
  const std::int64_t n = sizes.array_size;
  const std::int64_t rows = std::min(plan.block_rows, product.rows);
  const std::int64_t ones = product.column_sums != 0 ? 1 : 0;
  const bool is_cut_well = rows == product.rows || rows % units_of(product, sizes).block_rows == 0;
  return is_cut_well && (rows + ones) * plan.group_tiles <= rows_of_group(plan, sizes) &&
         words_of_a(product, rows, plan.chunk_tiles, sizes) <= sizes.row_words &&
         plan.group_tiles * plan.chunk_tiles * n <= sizes.weight_words &&
         (product.mask == 0 || rows * plan.group_tiles <= sizes.mask_words);
}

namespace {

/// The depth tiles of which the rows buffer holds four blocks; by lines, two, as a block of A is
/// for all of the depth then, or at most an image.
std::int64_t chunk_of_rows(const Product& product, const Units& units, std::int64_t block_rows,
                           const DeviceSizes& sizes) {
  if (!units.by_lines) return sizes.row_words / 4 / block_rows;
  std::int64_t tiles = ceil_div(units.depth, std::int64_t{sizes.array_size});
  while (product.transpose_a && tiles > 1 &&
         2 * words_of_a(product, block_rows, tiles, sizes) > sizes.row_words) {
    tiles /= 2;
  }
  return tiles;
}

void add_plans(const Product& product, const DeviceSizes& sizes, bool both_banks,
               std::vector<BlockPlan>& plans) {
  const std::int64_t n = sizes.array_size;
  const std::int64_t row_tiles = ceil_div(product.rows, n);
  const std::int64_t col_tiles = ceil_div(product.cols, n);
  const Units units = units_of(product, sizes);
  const std::int64_t depth_tiles = ceil_div(units.depth, n);
  const std::int64_t ones = product.column_sums != 0 ? 1 : 0;
  const std::int64_t bank_rows = rows_of_group({.both_banks = both_banks}, sizes);
  for (std::int64_t most_rows = bank_rows; most_rows >= std::min<std::int64_t>(n, 32);
       most_rows /= 2) {
    const std::int64_t most_tiles = std::max<std::int64_t>(1, (most_rows - ones) / n);
    const std::int64_t blocks = ceil_div(row_tiles, most_tiles);
    // A bank of N rows has no room for N rows and the row of ones.
    const std::int64_t block_rows =
        std::min(round_up(ceil_div(row_tiles, blocks) * n, units.block_rows), bank_rows - ones);
    const std::int64_t most_group = std::clamp<std::int64_t>(
        bank_rows / (std::min(block_rows, product.rows) + ones), 1, col_tiles);
    for (std::int64_t group = most_group; group >= 1; group /= 2) {
      // Groups and chunks of equal size, each at most a quarter of its buffer.
      const std::int64_t group_tiles = ceil_div(col_tiles, ceil_div(col_tiles, group));
      const std::int64_t most =
          std::clamp<std::int64_t>(std::min(chunk_of_rows(product, units, block_rows, sizes),
                                            sizes.weight_words / 4 / (group_tiles * n)),
                                   1, depth_tiles);
      for (std::int64_t chunk = most; chunk >= std::min<std::int64_t>(most, 2);
           chunk = chunk > 4 ? chunk / 4 : chunk / 2) {
        const std::int64_t even = ceil_div(depth_tiles, ceil_div(depth_tiles, chunk));
        const BlockPlan plan{
            .block_rows = block_rows,
            .group_tiles = group_tiles,
            .chunk_tiles = std::min(round_up(even, units.chunk_tiles), depth_tiles),
            .both_banks = both_banks};
        if (!fits(product, plan, sizes)) continue;
        if (std::find(plans.begin(), plans.end(), plan) == plans.end()) plans.push_back(plan);
      }
    }
  }
}

}  // namespace

std::vector<BlockPlan> candidate_plans(const Product& product, const DeviceSizes& sizes) {
  std::vector<BlockPlan> plans;
  add_plans(product, sizes, false, plans);
  // Then no store overlaps with products, which must be long.
  constexpr std::int64_t kLeastDepth = 64;
  const bool are_banks_one = sizes.bank_stride == sizes.bank_rows;
  const bool is_deep = ceil_div(product.depth, std::int64_t{sizes.array_size}) >= kLeastDepth;
  if (is_deep && are_banks_one) add_plans(product, sizes, true, plans);
  return plans;
}

}  // namespace systole
