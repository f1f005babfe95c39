#include "host/compiler/schedule/stored_blocks.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "tests/support/random.h"

namespace systole {
namespace {

using tests::Random;

MemoryRows random_block(Random& random, std::int64_t stride) {
  return {.address = 0x1000 + random.below(20'000),
          .rows = random.between(1, 12),
          .row_bytes = random.between(1, 40),
          .stride = random.below(4) == 0 ? stride + 1 : stride};
}

}  // namespace

TEST_CASE("blocks overlap if they share a byte", "[stored_blocks]") {
  Random random(3);
  int overlaps = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t stride = random.between(40, 90);
    MemoryRows a = random_block(random, stride), b = random_block(random, stride);
    b.address = a.address + random.below(600);
    bool shared = false;
    for (std::int64_t m = 0; m < a.rows; ++m) {
      for (std::int64_t n = 0; n < b.rows; ++n) {
        const std::uint64_t of_a = a.address + static_cast<std::uint64_t>(m * a.stride);
        const std::uint64_t of_b = b.address + static_cast<std::uint64_t>(n * b.stride);
        shared = shared || (of_a < of_b + static_cast<std::uint64_t>(b.row_bytes) &&
                            of_b < of_a + static_cast<std::uint64_t>(a.row_bytes));
      }
    }
    overlaps += shared ? 1 : 0;
    if (a.stride == b.stride) {
      REQUIRE(may_overlap(a, b) == shared);
    } else if (shared) {
      REQUIRE(may_overlap(a, b));
    }
  }
  CHECK(overlaps > 1000);
}

TEST_CASE("the last store into a block is found among any number", "[stored_blocks]") {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    StoredBlocks stored;
    std::vector<std::vector<std::pair<MemoryRows, std::int32_t>>> products;
    std::int32_t store = -1;
    const std::int64_t stride = random.between(40, 90);
    const auto count = static_cast<std::size_t>(random.between(1, 5));
    int found = 0;
    while (products.size() < count) {
      stored.begin_product();
      products.emplace_back();
      for (int left = random.between(0, 700); left > 0; --left) {
        const MemoryRows block = random_block(random, stride);
        store += static_cast<std::int32_t>(random.between(1, 3));
        stored.add(block, store);
        products.back().emplace_back(block, store);
        const MemoryRows read = random_block(random, stride);
        std::int32_t last = StoredBlocks::kNone;
        for (std::size_t p = 0; p + 1 < products.size(); ++p) {
          for (const auto& [of_product, number] : products[p]) {
            if (may_overlap(of_product, read)) last = number;
          }
        }
        found += last == StoredBlocks::kNone ? 0 : 1;
        REQUIRE(stored.last_store(read) == last);
      }
    }
    if (count > 1 && products[0].size() > 100 && !products[1].empty()) CHECK(found > 0);
  }
}

}  // namespace systole
