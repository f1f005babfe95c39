#include "host/device/product.h"

#include <array>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

namespace systole {

TEST_CASE("a product's spans are what it touches, with their elements", "[product]") {
  Product product{.a = 64, .b = 128, .c = 256, .rows = 3, .depth = 5, .cols = 7};
  const auto check = [&](std::vector<std::array<std::int64_t, 4>> expected) {
    std::vector<std::array<std::int64_t, 4>> found;
    for (const ProductSpan& span : spans(product)) {
      found.push_back({static_cast<std::int64_t>(span.range.address), span.range.size_bytes,
                       span.element_bytes, span.is_written ? 1 : 0});
    }
    CHECK(found == expected);
  };
  check({{64, 30, 2, 0}, {128, 70, 2, 0}, {256, 84, 4, 1}});
  product.type = DataType::kInt8;
  product.format = device::StoreFormat::kInt8FromInt32;
  product.mask = 512;
  product.column_sums = 1024;
  check({{64, 15, 1, 0}, {128, 35, 1, 0}, {256, 21, 1, 1}, {512, 42, 2, 0}, {1024, 28, 4, 1}});
  product = {.a = 64, .b = 128, .c = 256, .bias = 512, .rows = 3, .depth = 5, .cols = 7};
  check({{64, 30, 2, 0}, {128, 70, 2, 0}, {256, 84, 4, 1}, {512, 28, 4, 0}});
  product.ones = 2048;  // three terms of each bias, in bf16
  check({{64, 30, 2, 0}, {128, 70, 2, 0}, {256, 84, 4, 1}, {512, 42, 2, 0}});
}

TEST_CASE("the A of a product of patches is its images", "[product]") {
  // 2 images of 4 x 6 pixels of 8 bytes, each with 3 x 5 patches of 2 x 2 pixels.
  Product product{.a = 64, .b = 128, .c = 256, .rows = 30, .depth = 16, .cols = 3};
  product.patches = encode(device::LoadPatches{.height = 4,
                                               .width = 6,
                                               .pixel_bytes = 8,
                                               .out_height = 3,
                                               .out_width = 5,
                                               .kernel_height = 2,
                                               .kernel_width = 2});
  CHECK(spans(product)[0].range.size_bytes == 2 * 4 * 6 * 8);
  std::swap(product.rows, product.depth);
  product.transpose_a = true;
  CHECK(spans(product)[0].range.size_bytes == 2 * 4 * 6 * 8);
}

TEST_CASE("a product is described by its sizes and its type", "[product]") {
  CHECK(describe(Product{.rows = 37, .depth = 129, .cols = 65}) == "37 x 129 times 129 x 65, bf16");
}

}  // namespace systole
