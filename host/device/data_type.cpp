#include "host/device/data_type.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole {

std::string_view to_string(DataType type) {
  switch (type) {
    case DataType::kFp32:
      return "fp32";
    case DataType::kBf16:
      return "bf16";
    case DataType::kInt8:
      return "int8";
  }
  throw std::invalid_argument("not a data type");
}

DataType parse_data_type(std::string_view word) {
  for (const DataType type : {DataType::kFp32, DataType::kBf16, DataType::kInt8}) {
    if (word == to_string(type)) return type;
  }
  throw std::invalid_argument(fmt::format("unknown type '{}': use fp32, bf16 or int8", word));
}

}  // namespace systole
