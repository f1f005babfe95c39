#pragma once

#include <cstdint>
#include <string_view>

namespace systole {

/// The type of a product's operands. Sums are fp32 for kFp32 and kBf16, int32 for kInt8.
enum class DataType : std::uint8_t { kFp32, kBf16, kInt8 };

/// Bytes of one operand element: 4, 2, 1.
constexpr std::int64_t operand_size_bytes(DataType type) {
  return type == DataType::kFp32 ? 4 : type == DataType::kBf16 ? 2 : 1;
}

/// Bytes of one sum, for every type.
inline constexpr std::int64_t kSumSizeBytes = 4;

/// "fp32", "bf16", "int8".
std::string_view to_string(DataType type);

/// The inverse of to_string. Throws std::invalid_argument naming the accepted words.
DataType parse_data_type(std::string_view word);

}  // namespace systole
