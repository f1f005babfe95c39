#include "host/compiler/schedule/known_plans.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "host/compiler/schedule/product_lowering.h"
#include "host/compiler/schedule/program_builder.h"
#include "tests/host/cache_folder.h"

namespace systole {
namespace {

std::vector<Product> two_products() {
  return {{.a = 0x1000, .b = 0x40000, .c = 0x80000, .rows = 200, .depth = 300, .cols = 90},
          {.a = 0x80000, .b = 0xc0000, .c = 0x100000, .rows = 200, .depth = 90, .cols = 10}};
}

}  // namespace

TEST_CASE("known plans equal the chosen ones, the first time and later", "[known_plans]") {
  const tests::CacheFolder folder;
  const DiskCache disk(folder.path());
  const auto products = two_products();
  for (const int size : {4, 16}) {
    const DeviceSizes sizes{.array_size = size};
    const auto chosen = choose_plans(products, sizes);
    CHECK(known_plans(products, sizes, disk) == chosen);
    CHECK(known_plans(products, sizes, disk) == chosen);
  }
  CHECK(folder.texts() == 2);
  auto others = products;
  others[1].cols = 11;
  CHECK(known_plans(others, {}, disk) == choose_plans(others, {}));
  CHECK(known_plans(products, {{.bank_rows = 64}}, disk) ==
        choose_plans(products, {{.bank_rows = 64}}));
  CHECK(folder.texts() == 4);
  CHECK(known_plans(products, {}, DiskCache({})) == choose_plans(products, {}));
}

TEST_CASE("products that are moved together by pages have the plans of before", "[known_plans]") {
  const tests::CacheFolder folder;
  const DiskCache disk(folder.path());
  const auto products = two_products();
  const auto plans = known_plans(products, {}, disk);
  auto moved = products;
  for (Product& product : moved) {
    for (std::uint64_t* address : {&product.a, &product.b, &product.c}) *address += 37 * 4096;
  }
  CHECK(known_plans(moved, {}, disk) == plans);
  CHECK(choose_plans(moved, {}) == plans);
  CHECK(folder.texts() == 1);
  moved[1].c += 64;
  CHECK(known_plans(moved, {}, disk) == choose_plans(moved, {}));
  CHECK(folder.texts() == 2);
}

TEST_CASE("beside the vector engine, a product of patches loads no more", "[known_plans]") {
  // dW of a convolution of 3 x 3 pixels from 96 to 96 channels, over 128 images of 8 x 8.
  const device::LoadPatches patches{.height = 8,
                                    .width = 8,
                                    .pixel_bytes = 192,
                                    .out_height = 8,
                                    .out_width = 8,
                                    .kernel_height = 3,
                                    .kernel_width = 3,
                                    .stride = 1,
                                    .pad_top = 1,
                                    .pad_left = 1};
  const std::vector<Product> products = {{.a = 0x100000,
                                          .b = 0x200000,
                                          .c = 0x400000,
                                          .rows = 864,
                                          .depth = 8192,
                                          .cols = 96,
                                          .transpose_a = true,
                                          .patches = device::encode(patches)}};
  const auto times = [&](const BlockPlan& plan) {
    ProductLowering lowering({}, Keep::kTimes);
    lowering.add(products[0], plan);
    return std::pair(lowering.streams().times().clocks(), lowering.streams().times().busy(kLoads));
  };
  const auto alone = choose_plans(products, {});
  const auto beside = choose_plans(products, {}, Bus::kShared);
  const auto [clocks, loads] = times(alone[0]);
  const auto [clocks_beside, loads_beside] = times(beside[0]);
  CHECK(loads_beside <= loads);
  CHECK(clocks_beside <= clocks + clocks / 100 + 1);
  const tests::CacheFolder folder;
  const DiskCache disk(folder.path());
  for (const Bus bus : {Bus::kProducts, Bus::kShared, Bus::kProducts, Bus::kShared}) {
    CHECK(known_plans(products, {}, disk, bus) == (bus == Bus::kShared ? beside : alone));
  }
  CHECK(folder.texts() == 2);
}

TEST_CASE("an invalid product is refused before its plan is looked up", "[known_plans]") {
  auto products = two_products();
  products[0].rows = 0;
  CHECK_THROWS_AS(known_plans(products, {}, DiskCache({})), std::invalid_argument);
}

}  // namespace systole
