#include "host/nn/numbers/generator.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

namespace systole::tests {

TEST_CASE("the generator repeats for a seed and differs between seeds and streams", "[generator]") {
  const auto first = [](std::uint64_t seed, std::uint64_t stream) {
    return nn::Generator(seed, stream).next();
  };
  CHECK(first(1, 0) == first(1, 0));
  CHECK(first(1, 0) != first(2, 0));
  CHECK(first(1, 0) != first(1, 1));
  CHECK(first(0, 1) != first(1, 0));
}

TEST_CASE("uniform numbers lie in 0..1 and are spread evenly", "[generator]") {
  nn::Generator generator(9);
  std::array<int, 10> counts{};
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const float value = generator.uniform();
    REQUIRE(value >= 0);
    REQUIRE(value < 1);
    ++counts[static_cast<std::size_t>(10 * value)];
  }
  for (const int count : counts) CHECK(std::abs(count - kDraws / 10) < 500);  // 5 sigma
}

TEST_CASE("a shuffle keeps every item once and depends on the seed", "[generator]") {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  auto once = items, again = items, other = items;
  nn::Generator(1).shuffle(std::span(once));
  nn::Generator(1).shuffle(std::span(again));
  nn::Generator(2).shuffle(std::span(other));
  CHECK(once == again);
  CHECK(once != other);
  CHECK(once != items);
  std::ranges::sort(once);
  CHECK(once == items);
}

TEST_CASE("a shuffle of none or one item is left as it is", "[generator]") {
  std::vector<int> none, one{7};
  nn::Generator(1).shuffle(std::span(none));
  nn::Generator(1).shuffle(std::span(one));
  CHECK(one == std::vector<int>{7});
}

}  // namespace systole::tests
