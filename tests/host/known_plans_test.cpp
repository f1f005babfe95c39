#include "host/runtime/known_plans.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "host/runtime/program_builder.h"
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
  CHECK(folder.files().size() == 2);
  auto others = products;
  others[1].cols = 11;
  CHECK(known_plans(others, {}, disk) == choose_plans(others, {}));
  CHECK(known_plans(products, {.bank_rows = 64}, disk) ==
        choose_plans(products, {.bank_rows = 64}));
  CHECK(folder.files().size() == 4);
  CHECK(known_plans(products, {}, DiskCache({})) == choose_plans(products, {}));
}

TEST_CASE("an invalid product is refused before its plan is looked up", "[known_plans]") {
  auto products = two_products();
  products[0].rows = 0;
  CHECK_THROWS_AS(known_plans(products, {}, DiskCache({})), std::invalid_argument);
}

}  // namespace systole
