// Compares the plans of choose_plans with an exhaustive search.
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "host/compiler/schedule/product_lowering.h"
#include "host/compiler/schedule/program_builder.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using tests::Random;

Product random_product(Random& random, std::uint64_t base) {
  Product product{.rows = random.between(1, 150),
                  .depth = random.between(1, 150),
                  .cols = random.between(1, 150),
                  .type = random.below(3) == 0 ? DataType::kInt8 : DataType::kBf16,
                  .transpose_a = random.below(2) != 0,
                  .transpose_b = random.below(2) != 0};
  product.a = base + 2 * random.below(64);
  product.b = base + 0x10'0000;
  product.c = base + 0x20'0000;
  if (random.below(3) == 0) product.mask = base + 0x30'0000;
  switch (random.below(4)) {
    case 0:
      product.bias = base + 0x40'0000;
      break;
    case 1:
      product.column_sums = base + 0x40'0000;
      break;
    default:
      break;
  }
  return product;
}

DeviceSizes random_sizes(Random& random) {
  const int shrink = static_cast<int>(random.below(3));
  const BufferSizes buffers{
      .bank_rows = 512 >> shrink, .row_words = 8192 >> shrink, .weight_words = 4096 >> shrink};
  return {buffers, 4 << random.below(3)};
}

/// When products of one shape end after others, the first of them cut by `plan`.
std::int64_t clocks_of(ProductLowering lowering, Product product, BlockPlan plan,
                       std::int64_t count) {
  std::vector<std::int64_t> ends;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count, 4); ++i) {
    REQUIRE(lowering.add(product, plan));
    plan.ramps_up = false;
    for (std::uint64_t* address : {&product.a, &product.b, &product.c}) {
      *address += std::uint64_t{1} << 36;
    }
    ends.push_back(lowering.streams().times().clocks());
  }
  if (count <= 4) return ends.back();
  return ends[3] + (ends[3] - ends[1]) * (count - 4) / 2;
}

BlockPlan first_least(const std::vector<BlockPlan>& plans, const ProductLowering& before,
                      const Product& product, std::int64_t count) {
  BlockPlan best;
  std::int64_t least = -1;
  for (const BlockPlan& plan : plans) {
    const std::int64_t clocks = clocks_of(before, product, plan, count);
    if (least >= 0 && clocks >= least) continue;
    least = clocks;
    best = plan;
  }
  return best;
}

std::vector<BlockPlan> ramped(const std::vector<BlockPlan>& plans) {
  std::vector<BlockPlan> both;
  for (BlockPlan plan : plans) {
    for (const bool ramps_up : {false, true}) {
      plan.ramps_up = ramps_up;
      both.push_back(plan);
    }
  }
  return both;
}

}  // namespace

TEST_CASE("the planner picks the first of the plans that end earliest", "[choose_plans]") {
  Random random(11);
  for (int i = 0; i < 25; ++i) {
    const DeviceSizes sizes = random_sizes(random);
    const Product product = random_product(random, 0x1000);
    // Another product follows, so that its plan is not the program's last.
    std::vector<Product> products;
    const std::int64_t count = random.between(1, 9);
    for (std::int64_t c = 0; c < count; ++c) {
      products.push_back(product);
      for (std::uint64_t* address : {&products.back().a, &products.back().b, &products.back().c}) {
        *address += static_cast<std::uint64_t>(c) << 24;
      }
    }
    products.push_back(random_product(random, std::uint64_t{1} << 32));
    const ProductLowering empty(sizes, Keep::kTimes);
    const std::vector<BlockPlan> candidates = candidate_plans(product, sizes);
    INFO("case " << i << ", " << count << " products, array " << sizes.array_size);
    REQUIRE(choose_plans(products, sizes)[0] ==
            first_least(ramped(candidates), empty, product, count));

    // And the last product's plan, from those that may taper.
    const std::span<const Product> alone(products.data(), 1);
    BlockPlan last = first_least(ramped(candidates), empty, product, 1);
    std::vector<BlockPlan> ends = {last};
    ends.insert(ends.end(), candidates.begin(), candidates.end());
    std::vector<BlockPlan> tapering;
    for (BlockPlan plan : ends) {
      plan.ramps_up = last.ramps_up;
      plan.tapers = false;
      tapering.push_back(plan);
      plan.tapers = true;
      tapering.push_back(plan);
    }
    REQUIRE(choose_plans(alone, sizes)[0] == first_least(tapering, empty, product, 1));
  }
}

}  // namespace systole
