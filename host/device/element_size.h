#pragma once

#include <cstdint>

#include "host/device/device_map.h"

namespace systole {

/// Bytes of an element in memory, by the type a load reads.
constexpr std::int64_t loaded_bytes(device::LoadType type) {
  return type == device::LoadType::kInt8 ? 1 : type == device::LoadType::kBf16 ? 2 : 4;
}

/// Bytes of an element in memory, by the format a store writes.
constexpr std::int64_t stored_bytes(device::StoreFormat format) {
  switch (format) {
    case device::StoreFormat::kBf16:
    case device::StoreFormat::kBf16Stochastic:
      return 2;
    case device::StoreFormat::kInt8FromFp32:
    case device::StoreFormat::kInt8FromInt32:
      return 1;
    case device::StoreFormat::kWord32:
    case device::StoreFormat::kFp32FromInt32:
      break;
  }
  return 4;
}

/// Bytes of an element in memory, by the format of a vector stream.
constexpr std::int64_t streamed_bytes(device::VectorStreamFormat format) {
  switch (format) {
    case device::VectorStreamFormat::kInt8:
      return 1;
    case device::VectorStreamFormat::kBf16:
    case device::VectorStreamFormat::kHalf:
      return 2;
    case device::VectorStreamFormat::kWord:
      break;
  }
  return 4;
}

}  // namespace systole
