#pragma once

#include <cstdint>
#include <span>

#include "host/device/product.h"

namespace systole {

/// A product's epilogue, computed on the processor. Sums are fp32 bits, or int32.
///
/// Shapes   sums [rows, cols] row-major; bias and column sums [cols]
/// Numbers  as Product, except for the order of additions
void start_from_bias(std::span<const std::uint32_t> bias, std::span<std::uint32_t> sums);
void apply_relu(std::span<std::uint32_t> sums, bool is_float);
void round_to_bf16(std::span<const std::uint32_t> sums, std::span<std::uint16_t> result);

/// Leaves +0 where the mask is not greater than zero.
void keep_positive(std::span<const float> mask, std::span<std::uint32_t> sums);
void keep_positive(std::span<const std::uint16_t> mask, std::span<std::uint32_t> sums);
void keep_positive(std::span<const std::int8_t> mask, std::span<std::uint32_t> sums);

/// sums[n] = the sum over k of op(B)[k, n].
void add_columns(const Product& product, std::span<const float> b, std::span<std::uint32_t> sums);
void add_columns(const Product& product, std::span<const std::uint16_t> b,
                 std::span<std::uint32_t> sums);
void add_columns(const Product& product, std::span<const std::int8_t> b,
                 std::span<std::uint32_t> sums);

}  // namespace systole
