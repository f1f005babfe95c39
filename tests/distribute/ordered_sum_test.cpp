#include "host/distribute/ordered_sum.h"

#include <bit>
#include <catch2/catch.hpp>

#include "host/distribute/split.h"
#include "tests/distribute/on_ranks.h"

namespace systole::tests {
namespace {

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> all;
  for (const float value : values) all.push_back(std::bit_cast<std::uint32_t>(value));
  return all;
}

// Values whose sum depends on its order.
std::vector<std::vector<float>> core_values(int cores, std::size_t count) {
  std::vector<std::vector<float>> values(cores);
  std::uint32_t state = 12345;
  for (auto& core : values) {
    for (std::size_t i = 0; i < count; ++i) {
      state = state * 1664525 + 1013904223;
      core.push_back((static_cast<float>(state >> 8) - 0x800000) * ((state & 1) != 0 ? 1 : 1e-4f));
    }
  }
  return values;
}

std::vector<float> expected_sum(const std::vector<std::vector<float>>& values,
                                const std::vector<float>& weights) {
  std::vector<float> sum(values[0].size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] = weights[0] * values[0][i];
    for (std::size_t core = 1; core < values.size(); ++core) {
      const float term = weights[core] * values[core][i];
      sum[i] = sum[i] + term;
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("a sum over cores has the same bits however they are divided into ranks",
          "[ordered_sum]") {
  constexpr int kCores = 8;
  const std::size_t count = GENERATE(1u, 17u, 200'000u);
  const int ranks = GENERATE(1, 2, 4, 8);
  CAPTURE(count, ranks);
  const auto values = core_values(kCores, count);
  const std::vector<float> weights{0.125f, 0.1f, 0.2f, 0.05f, 0.3f, 0.1f, 0.025f, 0.1f};
  const auto expected = bits(expected_sum(values, weights));
  std::vector<std::vector<float>> sums(ranks);
  on_ranks(ranks, [&](std::shared_ptr<Communicator> communicator) {
    const int each = kCores / ranks;
    std::vector<WeightedValues> parts;
    for (int core = each * communicator->rank(); core < each * (communicator->rank() + 1); ++core) {
      const auto index = static_cast<std::size_t>(core);
      parts.push_back({.weight = weights[index], .values = values[index]});
    }
    auto& sum = sums[communicator->rank()];
    sum.resize(count);
    ordered_sum(*communicator, parts, sum);
  });
  for (const auto& sum : sums) CHECK(bits(sum) == expected);
}

TEST_CASE("a sum may overwrite its first part", "[ordered_sum]") {
  auto values = core_values(3, 100);
  const auto expected = expected_sum(values, {0.5f, 0.25f, 0.25f});
  const std::vector<WeightedValues> parts{
      {0.5f, values[0]}, {0.25f, values[1]}, {0.25f, values[2]}};
  ordered_sum(*single_rank(), parts, values[0]);
  CHECK(bits(values[0]) == bits(expected));
}

TEST_CASE("one part of weight 1 is returned as it is", "[ordered_sum]") {
  const std::vector<float> values{-0.0f, 0.0f, 1.5f, -3e-30f};
  std::vector<float> sum(4, 9.0f);
  const std::vector<WeightedValues> parts{{1.0f, values}};
  ordered_sum(*single_rank(), parts, sum);
  CHECK(bits(sum) == bits(values));
}

TEST_CASE("ranks without a part pass the sum on", "[ordered_sum]") {
  const std::vector<float> values{-0.0f, 2.5f};
  const int owner = GENERATE(0, 1, 2);
  on_ranks(3, [&](std::shared_ptr<Communicator> communicator) {
    std::vector<WeightedValues> parts;
    if (communicator->rank() == owner) parts.push_back({1.0f, values});
    std::vector<float> sum(2, 7.0f);
    ordered_sum(*communicator, parts, sum);
    if (bits(sum) != bits(values)) throw std::runtime_error("another sum");
  });
}

TEST_CASE("rows are spread evenly, the remainder over the first cores", "[split]") {
  const std::int64_t rows = GENERATE(0, 1, 7, 8, 9, 96, 127, 128);
  const int cores = GENERATE(1, 3, 8);
  std::int64_t next = 0, fewest = rows, most = 0;
  for (int core = 0; core < cores; ++core) {
    const RowRange range = rows_of_core(rows, core, cores);
    CHECK(range.first == next);
    next += range.count;
    fewest = std::min(fewest, range.count);
    most = std::max(most, range.count);
  }
  CHECK(next == rows);
  CHECK(most - fewest <= 1);
}

}  // namespace systole::tests
