#include "host/runtime/block_plan.h"

#include <algorithm>

#include "host/runtime/patches.h"

namespace systole {

namespace {

/// What a plan's blocks and chunks must be multiples of, unless they are all there is.
struct Units {
  std::int64_t block_rows = 1, chunk_tiles = 1;
};

Units units_of(const Product& product, std::int64_t n) {
  if (product.patches == device::CommandWord{}) return {};
  const Patches patches(product);
  if (product.transpose_a) return {.block_rows = patches.unit_rows()};
  return {.chunk_tiles = patches.unit_tiles(n)};
}

/// Of accumulators.
std::int64_t rows_of_group(const BlockPlan& plan, const DeviceSizes& sizes) {
  return plan.both_banks ? sizes.bank_stride + sizes.bank_rows : sizes.bank_rows;
}

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return ceil_div(value, unit) * unit;
}

}  // namespace

std::vector<Group> groups_of(const Product& product, const BlockPlan& plan, int array_size) {
  const std::int64_t tiles = ceil_div(product.cols, array_size);
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
  const std::int64_t rest = groups.back().rows / 4 / array_size * array_size;
  if (rest > 0) {
    const std::int64_t most = groups.back().rows / array_size * array_size - rest;
    Group last = groups.back();
    groups.back().rows = most;
    last.row += most;
    last.rows -= most;
    groups.push_back(last);
  }
  return groups;
}

std::vector<Chunk> chunks_of(const Product& product, const BlockPlan& plan, int array_size,
                             bool is_first_block) {
  const std::int64_t tiles = ceil_div(product.depth, array_size);
  std::vector<Chunk> chunks;
  const std::int64_t unit = units_of(product, array_size).chunk_tiles;
  std::int64_t size = plan.ramps_up && is_first_block ? unit : plan.chunk_tiles;
  for (std::int64_t tile = 0; tile < tiles;) {
    const std::int64_t count = std::min(size, tiles - tile);
    chunks.push_back({tile, count});
    tile += count;
    // 1, 1, 2, 4, ...: while a chunk is loaded, as many tiles as it has are computed.
    if (size < plan.chunk_tiles) size = std::min(tile, plan.chunk_tiles);
  }
  return chunks;
}

bool fits(const Product& product, const BlockPlan& plan, const DeviceSizes& sizes) {
  const std::int64_t n = sizes.array_size;
  const std::int64_t rows = std::min(plan.block_rows, product.rows);
  const std::int64_t ones = product.column_sums != 0 ? 1 : 0;
  const std::int64_t a_rows = product.transpose_a ? ceil_div(rows, n) * n : rows;
  const bool is_cut_well = rows == product.rows || rows % units_of(product, n).block_rows == 0;
  return is_cut_well && (rows + ones) * plan.group_tiles <= rows_of_group(plan, sizes) &&
         a_rows * plan.chunk_tiles <= sizes.row_words &&
         plan.group_tiles * plan.chunk_tiles * n <= sizes.weight_words &&
         (product.mask == 0 || rows * plan.group_tiles <= sizes.mask_words);
}

namespace {

void add_plans(const Product& product, const DeviceSizes& sizes, bool both_banks,
               std::vector<BlockPlan>& plans) {
  const std::int64_t n = sizes.array_size;
  const std::int64_t row_tiles = ceil_div(product.rows, n);
  const std::int64_t col_tiles = ceil_div(product.cols, n);
  const std::int64_t depth_tiles = ceil_div(product.depth, n);
  const std::int64_t ones = product.column_sums != 0 ? 1 : 0;
  const Units units = units_of(product, n);
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
      const std::int64_t most_chunk = std::clamp<std::int64_t>(
          std::min(sizes.row_words / 4 / block_rows, sizes.weight_words / 4 / (group_tiles * n)), 1,
          depth_tiles);
      for (std::int64_t chunk = most_chunk; chunk >= std::min<std::int64_t>(most_chunk, 2);
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
