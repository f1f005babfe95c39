#pragma once

#include <cstdint>
#include <span>

namespace systole::reference {

/// The oracle of a matrix product on an N x N array: C = A B, or C += A B, as plain loops in the
/// order of docs/numerics.md section 3.
///
/// Shapes   a [rows, depth], b [depth, cols], c [rows, cols], all row-major
/// Limits   rows, depth, cols, array_size >= 1; int8: depth <= 131,071
/// Numbers  bit-exact; bf16 results depend on array_size, int8 results do not
struct MatmulShape {
  int rows = 0, depth = 0, cols = 0;
  int array_size = 0;
  bool accumulate = false;
};

void matmul_bf16(const MatmulShape& shape, std::span<const std::uint16_t> a,
                 std::span<const std::uint16_t> b, std::span<std::uint32_t> c);
void matmul_int8(const MatmulShape& shape, std::span<const std::int8_t> a,
                 std::span<const std::int8_t> b, std::span<std::int32_t> c);

}  // namespace systole::reference
