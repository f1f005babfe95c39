// What reaches the network: augmentation, and batches gathered ahead on another thread.
#include "host/nn/training/batches.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <set>
#include <thread>

#include "host/nn/training/prefetcher.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

// Images of 2 x 3 pixels and one channel, with distinct values other than 0.
Dataset images(std::int64_t count) {
  Dataset data{
      .name = "images", .sample_shape = {2, 3, 1}, .inputs = {}, .labels = {}, .classes = 2};
  for (std::int64_t i = 0; i < 6 * count; ++i) data.inputs.push_back(static_cast<float>(i + 1));
  data.labels.resize(count);
  return data;
}

std::set<std::vector<float>> variants(const nn::Augmentation& augmentation) {
  const Dataset data = images(1);
  nn::Batches batches(data, 1, augmentation);
  std::set<std::vector<float>> seen;
  for (std::int64_t epoch = 1; epoch <= 400; ++epoch) {
    batches.shuffle(1, epoch);
    batches.take(0);
    seen.insert(batches.inputs().values);
  }
  return seen;
}

}  // namespace

TEST_CASE("a flip changes left and right, half of the time", "[augmentation]") {
  CHECK(variants({.flip = true}) ==
        std::set<std::vector<float>>{{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}});
}

TEST_CASE("a crop shifts by up to the padding, and fills with 0", "[augmentation]") {
  const auto seen = variants({.crop_padding = 1});
  CHECK(seen.size() == 9);
  CHECK(seen.contains({1, 2, 3, 4, 5, 6}));
  CHECK(seen.contains({5, 6, 0, 0, 0, 0}));
  CHECK(seen.contains({0, 0, 0, 0, 1, 2}));
  CHECK(seen.contains({0, 1, 2, 0, 4, 5}));
  CHECK(variants({.flip = true, .crop_padding = 1}).size() == 18);
  CHECK(variants({}).size() == 1);
}

TEST_CASE("augmentation does not depend on how the epoch is cut into batches", "[augmentation]") {
  const Dataset data = images(10);
  const auto epoch = [&](std::int64_t batch_size) {
    nn::Batches batches(data, batch_size, {.flip = true, .crop_padding = 1});
    batches.shuffle(3, 2);
    std::vector<float> all;
    for (std::int64_t i = 0; i < batches.count(); ++i) {
      batches.take(i);
      all.insert(all.end(), batches.inputs().values.begin(), batches.inputs().values.end());
    }
    return all;
  };
  CHECK(epoch(3) == epoch(10));
}

TEST_CASE("augmentation refuses samples that are not images", "[augmentation]") {
  const Dataset data = small_data(2, 6, 2), small = images(1);
  CHECK_THROWS_WITH(nn::Batches(data, 1, {.flip = true}),
                    Catch::Contains("needs images") && Catch::Contains("a sample is 6"));
  CHECK_THROWS_WITH(nn::Batches(small, 1, {.crop_padding = 2}),
                    Catch::Contains("crop_padding 2 does not fit images of 2 x 3 x 1"));
  CHECK(nn::Augmentation{.flip = true, .crop_padding = 4}.describe() == "flip, crop 4");
}

TEST_CASE("prefetched batches are the epoch's, whichever thread is faster", "[prefetcher]") {
  const Dataset data = small_data(37, 5, 3);
  nn::Batches plain(data, 8), ahead(data, 8);
  const bool slow = GENERATE(false, true);
  nn::Prefetcher prefetcher(ahead);
  for (const std::int64_t first : {0, 2, 4}) {
    plain.shuffle(7, 1 + first);
    prefetcher.begin(7, 1 + first, first, plain.count());
    for (std::int64_t i = first; i < plain.count(); ++i) {
      if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      plain.take(i);
      prefetcher.next();
      REQUIRE(prefetcher.inputs().rows == plain.inputs().rows);
      CHECK(prefetcher.inputs().values == plain.inputs().values);
      CHECK(std::ranges::equal(prefetcher.labels(), plain.labels()));
    }
  }
}

TEST_CASE("what is prepared takes the place of a batch", "[prefetcher]") {
  const Dataset data = small_data(37, 5, 3);
  nn::Batches plain(data, 8), ahead(data, 8);
  using Prepared = std::pair<std::int64_t, std::vector<float>>;
  nn::Prefetcher prefetcher(
      ahead,
      [](std::int64_t index, const nn::Tensor& inputs, std::span<const std::int32_t>) {
        return std::any(Prepared(index, inputs.values));
      },
      3);
  for (const std::int64_t epoch : {1, 2}) {
    plain.shuffle(7, epoch);
    prefetcher.begin(7, epoch, 0, plain.count());
    for (std::int64_t i = 0; i < plain.count(); ++i) {
      plain.take(i);
      prefetcher.next();
      CHECK(std::any_cast<Prepared>(prefetcher.prepared()) == Prepared(i, plain.inputs().values));
      CHECK(prefetcher.inputs().values.empty());
    }
  }
}

TEST_CASE("an epoch can be abandoned at any batch", "[prefetcher]") {
  const Dataset data = small_data(64, 5, 3);
  nn::Batches batches(data, 4);
  nn::Prefetcher prefetcher(batches);
  for (std::int64_t taken = 0; taken < 8; ++taken) {
    prefetcher.begin(1, taken, 0, batches.count());
    for (std::int64_t i = 0; i < taken; ++i) prefetcher.next();
  }
  prefetcher.begin(1, 1, 3, 3);  // and nothing at all
}

TEST_CASE("an error on the prefetcher's thread is thrown at its batch", "[prefetcher]") {
  Dataset data = small_data(12, 5, 3);
  nn::Batches batches(data, 4);
  nn::Prefetcher prefetcher(batches);
  prefetcher.begin(1, 1, 0, 5);  // there are three
  for (int i = 0; i < 3; ++i) prefetcher.next();
  CHECK_THROWS_WITH(prefetcher.next(), Catch::Contains("no batch 3"));
  CHECK_THROWS_WITH(prefetcher.next(), Catch::Contains("no batch 3"));
}

}  // namespace systole::tests
