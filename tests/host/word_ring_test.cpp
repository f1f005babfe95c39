#include "host/compiler/schedule/word_ring.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>

#include "tests/support/random.h"

namespace systole {
namespace {

using tests::Random;

/// The same without an index.
struct PlainRing {
  struct Placed {
    BlockKey key;
    std::int64_t place, words;
    std::int32_t last_use;
  };
  std::int64_t words, next = 0;
  std::deque<Placed> blocks = {};

  const Placed* find(const BlockKey& key) const {
    const auto found = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const Placed& placed) { return placed.key == key; });
    return found == blocks.end() ? nullptr : &*found;
  }
  void place(const BlockKey& key, std::int64_t size, std::int32_t used, std::int32_t& last_use) {
    while (!blocks.empty() && blocks.front().place + words < next + size) {
      last_use = std::max(last_use, blocks.front().last_use);
      blocks.pop_front();
    }
    blocks.push_back({key, next, size, used});
    next += size;
  }
};

BlockKey random_key(Random& random) {
  return {.address = 64 * std::uint64_t{random.below(40)},
          .rows = random.between(1, 2),
          .cols = random.between(1, 2),
          .row_stride = 8,
          .tile_stride = random.between(1, 2),
          .element_bytes = 2};
}

}  // namespace

TEST_CASE("a ring finds exactly the blocks it still holds", "[word_ring]") {
  Random random(7);
  int found = 0, lost = 0;
  WordRing ring(512);
  PlainRing plain{.words = 512};
  for (std::int32_t i = 0; i < 50'000; ++i) {
    const BlockKey key = random_key(random);
    WordRing::Block* here = ring.find(key);
    const PlainRing::Placed* expected = plain.find(key);
    REQUIRE((here != nullptr) == (expected != nullptr));
    if (here != nullptr) {
      ++found;
      REQUIRE(here->key == key);
      REQUIRE(here->place == expected->place);
      REQUIRE(here->last_use == expected->last_use);
    } else {
      ++lost;
      const std::int64_t words = random.between(1, 60);
      std::int32_t last_use = random.between(0, i), same = last_use;
      ring.place(key, words, last_use).last_use = i;
      plain.place(key, words, i, same);
      REQUIRE(last_use == same);
    }
    if (random.below(100) != 0) continue;
    const std::uint64_t first = 16 * std::uint64_t{random.below(160)}, end = first + 200;
    ring.forget(first, end);
    for (auto& placed : plain.blocks) {
      if (placed.key.address < end && first < placed.key.end()) placed.key = {};
    }
  }
  CHECK(found > 1000);
  CHECK(lost > 1000);
}

}  // namespace systole
