#include "host/nn/products/product.h"

#include <catch2/catch.hpp>
#include <vector>

namespace systole::tests {

TEST_CASE("a multiplier keeps an operand for several products", "[product]") {
  nn::Multiplier multiplier(Device::open("cpu"), GENERATE(DataType::kFp32, DataType::kBf16));
  nn::Operand a, b;
  multiplier.load(a, std::vector<float>{1, 2, 3, 4, 5, 6});
  multiplier.load(b, std::vector<float>{1, -1});
  std::vector<float> c(3), d(4);
  multiplier.multiply({.a = a, .b = b, .rows = 3, .depth = 2, .cols = 1}, c);
  CHECK(c == std::vector<float>{-1, -1, -1});
  multiplier.multiply({.a = a, .b = a, .rows = 2, .depth = 3, .cols = 2, .transpose_b = true}, d);
  CHECK(d == std::vector<float>{14, 32, 32, 77});
  multiplier.load(b, std::vector<float>{1, 0, 0, 1, 1, 1});  // a larger one in the same operand
  multiplier.multiply({.a = a, .b = b, .rows = 2, .depth = 3, .cols = 2, .transpose_a = true}, d);
  CHECK(d == std::vector<float>{6, 8, 8, 10});
}

TEST_CASE("a bf16 multiplier rounds its operands to nearest even", "[product]") {
  nn::Multiplier multiplier(Device::open("cpu"), DataType::kBf16);
  nn::Operand a, b;
  multiplier.load(a, std::vector<float>{1 + 0x1p-8f, 1 + 0x3p-8f});  // ties: down and up
  multiplier.load(b, std::vector<float>{1});
  std::vector<float> c(2);
  multiplier.multiply({.a = a, .b = b, .rows = 2, .depth = 1, .cols = 1}, c);
  CHECK(c == std::vector<float>{1, 1 + 0x1p-6f});
}

TEST_CASE("a multiplier refuses sizes that do not match", "[product]") {
  nn::Multiplier multiplier(Device::open("cpu"),
                            GENERATE(DataType::kFp32, DataType::kBf16, DataType::kInt8));
  nn::Operand a, b;
  multiplier.load(a, std::vector<float>{1, 2});
  multiplier.load(b, std::vector<float>{1, 2});
  std::vector<float> c(1);
  CHECK_THROWS_WITH(multiplier.multiply({.a = a, .b = b, .rows = 2, .depth = 2, .cols = 1}, c),
                    Catch::Contains("[2, 2] and [2, 1]") && Catch::Contains("2 and 2 values"));
}

}  // namespace systole::tests
