#include "host/compiler/schedule/block_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/random.h"

namespace systole {
namespace {

using tests::Random;

Product random_product(Random& random, int most) {
  Product product{.rows = random.between(1, random.below(4) == 0 ? 3 : most),
                  .depth = random.between(1, most),
                  .cols = random.between(1, random.below(4) == 0 ? 20 * most : most),
                  .transpose_a = random.below(2) != 0,
                  .transpose_b = random.below(2) != 0};
  if (random.below(3) == 0) product.column_sums = 0x1000;
  if (random.below(3) == 0) product.mask = 0x2000;
  return product;
}

/// Powers of two from the least that a device may have to the most.
DeviceSizes random_sizes(Random& random) {
  const int n = 4 << random.below(6);
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return std::min(most, least << random.below(12));
  };
  const BufferSizes buffers{.bank_rows = between(n, 512),
                            .row_words = between(4 * n, 8192),
                            .weight_words = between(4 * n, 4096),
                            .mask_words = between(4 * n, 2048)};
  return {buffers, n};
}

}  // namespace

TEST_CASE("every plan's blocks and groups fit, in buffers of any size", "[block_plan]") {
  Random random(13);
  bool some_have_both_banks = false;
  for (int i = 0; i < 1500; ++i) {
    const DeviceSizes sizes =
        i % 4 == 0 ? DeviceSizes{.array_size = 4 << random.below(6)} : random_sizes(random);
    const Product product = random_product(random, 400);
    INFO(product.rows << " x " << product.depth << " x " << product.cols << ", array "
                      << sizes.array_size << ", bank " << sizes.bank_rows << ", rows "
                      << sizes.row_words << ", weights " << sizes.weight_words << ", masks "
                      << sizes.mask_words);
    std::vector<BlockPlan> plans = candidate_plans(product, sizes);
    REQUIRE(!plans.empty());
    for (BlockPlan& plan : plans) {
      plan.tapers = random.below(2) != 0;
      plan.ramps_up = random.below(2) != 0;
      plan.by_columns = random.below(2) != 0;
      const auto chunks = chunks_of(product, plan, sizes, true);
      std::int64_t chunk_tiles = 0;
      for (const Chunk& chunk : chunks) chunk_tiles = std::max(chunk_tiles, chunk.tiles);
      bool all_fit = true;
      const std::int64_t sum_rows = (plan.both_banks ? 2 : 1) * sizes.bank_rows;
      for (const Group& group : groups_of(product, plan, sizes)) {
        const std::int64_t n = sizes.array_size;
        const std::int64_t ones = product.column_sums != 0 && group.row == 0 ? 1 : 0;
        const std::int64_t a_rows =
            product.transpose_a ? (group.block_rows + n - 1) / n * n : group.block_rows;
        all_fit = all_fit && (group.rows + ones) * group.tiles <= sum_rows &&
                  a_rows * chunk_tiles <= sizes.row_words &&
                  group.tiles * chunk_tiles * n <= sizes.weight_words &&
                  (product.mask == 0 || group.rows * group.tiles <= sizes.mask_words);
      }
      REQUIRE(all_fit);
      some_have_both_banks |= plan.both_banks;
    }
  }
  CHECK(some_have_both_banks);
}

}  // namespace systole
