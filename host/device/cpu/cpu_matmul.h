#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/device/product.h"

namespace systole {

/// Matrix products on the processor; keeps its scratch memory from one product to the next.
///
/// Shapes   those of Product; its addresses are ignored, operands come as spans
/// Timing   uses `threads` threads; one product at a time
/// Numbers  see cpu_backend.h
class CpuMatmul {
 public:
  explicit CpuMatmul(int threads);

  void fp32(const Product& shape, std::span<const float> a, std::span<const float> b,
            std::span<float> c) const;
  void bf16(const Product& shape, std::span<const std::uint16_t> a,
            std::span<const std::uint16_t> b, std::span<float> c);
  void int8(const Product& shape, std::span<const std::int8_t> a, std::span<const std::int8_t> b,
            std::span<std::int32_t> c);

 private:
  template <typename Convert, typename Source>
  void widen(std::span<const Source> source, std::vector<float>& destination, Convert convert);

  int threads_;
  std::vector<float> a_, b_, c_;
};

}  // namespace systole
