#include "host/device/data_type.h"

#include <catch2/catch.hpp>

namespace systole {

TEST_CASE("a data type's name parses back to the type", "[data_type]") {
  for (const DataType type : {DataType::kFp32, DataType::kBf16, DataType::kInt8}) {
    CHECK(parse_data_type(to_string(type)) == type);
  }
}

TEST_CASE("operands are 4, 2 and 1 bytes", "[data_type]") {
  CHECK(operand_size_bytes(DataType::kFp32) == 4);
  CHECK(operand_size_bytes(DataType::kBf16) == 2);
  CHECK(operand_size_bytes(DataType::kInt8) == 1);
}

TEST_CASE("an unknown name is refused with the known ones", "[data_type]") {
  for (const char* word : {"", "BF16", "fp16", "int8 "}) {
    CHECK_THROWS_WITH(parse_data_type(word), Catch::Contains("use fp32, bf16 or int8"));
  }
}

}  // namespace systole
