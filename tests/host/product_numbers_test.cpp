#include "host/compiler/schedule/product_numbers.h"

#include <catch2/catch.hpp>

namespace systole {

TEST_CASE("a change to any field of a product changes its numbers", "[product_numbers]") {
  const Product base{.a = 16, .rows = 1, .depth = 1, .cols = 1};
  const auto differs = [&](auto change) {
    Product changed = base;
    change(changed);
    return !(changed == base) && numbers_of(changed) != numbers_of(base);
  };
  CHECK(differs([](Product& p) { p.b = 1; }));
  CHECK(differs([](Product& p) { p.bias = 1; }));
  CHECK(differs([](Product& p) { p.mask = 1; }));
  CHECK(differs([](Product& p) { p.column_sums = 1; }));
  CHECK(differs([](Product& p) { p.depth = 2; }));
  CHECK(differs([](Product& p) { p.type = DataType::kInt8; }));
  CHECK(differs([](Product& p) { p.mask_type = DataType::kInt8; }));
  CHECK(differs([](Product& p) { p.transpose_a = true; }));
  CHECK(differs([](Product& p) { p.transpose_b = true; }));
  CHECK(differs([](Product& p) { p.accumulate = true; }));
  CHECK(differs([](Product& p) { p.relu = true; }));
  CHECK(differs([](Product& p) { p.format = device::StoreFormat::kBf16; }));
  CHECK(differs([](Product& p) { p.seed = 3; }));
}

}  // namespace systole
