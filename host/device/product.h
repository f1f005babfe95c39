#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/device/data_type.h"
#include "host/device/device_map.h"
#include "host/device/memory_range.h"

namespace systole {

/// The bf16 whose sum, largest first, is an fp32.
inline constexpr int kTerms = 3;

/// The largest depth of an int8 product: 131,071 * 128 * 128 still fits int32.
inline constexpr std::int64_t kMaxInt8Depth = 131'071;

/// A matrix product and its epilogue, with device addresses, from which programs are built.
///
///   sums = (bias | C | 0) + op(A) op(B);   C = format(mask(relu(sums)))
///
/// Shapes   row-major and dense. A [rows, depth], or [depth, rows] with transpose_a; B [depth,
///          cols], or [cols, depth] with transpose_b; C and mask [rows, cols]; bias and column_sums
///          [cols], of 32-bit sums. An address of 0 stands for none
/// Limits   bias, column_sums and accumulate exclude each other; accumulate needs format kWord32; C
///          overlaps none of the operands. bf16 and int8; an int8 depth of at most kMaxInt8Depth
///          keeps int32 sums from overflowing
/// Numbers  docs/numerics.md: sums start from the bias as they would from C. column_sums: those of
///          B, added up by the array as a row of ones
struct Product {
  std::uint64_t a = 0, b = 0, c = 0;
  std::uint64_t bias = 0, mask = 0, column_sums = 0;
  /// Rows of kTerms bf16 ones, as many as an accumulator bank has; the bias is [kTerms, cols] then,
  /// in bf16, whose sums over rows it is: the array adds them up. 0: the bias is loaded into the
  /// accumulators
  std::uint64_t ones = 0;
  std::int64_t rows = 0, depth = 0, cols = 0;
  DataType type = DataType::kBf16;
  DataType mask_type = DataType::kBf16;
  bool transpose_a = false, transpose_b = false;
  /// A load_patches command: A's rows, or with transpose_a its columns, are the patches of the
  /// images at `a`, in order; all zeros: A is a matrix
  device::CommandWord patches = {};
  bool accumulate = false;
  bool relu = false;
  device::StoreFormat format = device::StoreFormat::kWord32;
  std::uint16_t scale = 0;  ///< of store_scale, for the int8 formats
  std::uint8_t shift = 0;
  /// Of store_scale, for kBf16Stochastic; 0 continues the sequence of an earlier product of the
  /// same
  /// program.
  std::uint32_t seed = 0;

  std::uint64_t macs() const {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(depth) *
           static_cast<std::uint64_t>(cols);
  }
  friend bool operator==(const Product&, const Product&) = default;
};

/// Whether A is the patches of images.
inline bool has_patches(const Product& product) { return product.patches != device::CommandWord{}; }

/// One matrix or vector of a product in device memory.
struct ProductSpan {
  MemoryRange range;
  std::int64_t element_bytes = 0;
  bool is_written = false;
};

/// All that a product touches, without `ones`: A, B, C, then of bias, mask and column sums those
/// that it has. Of patches, A is the images.
std::vector<ProductSpan> spans(const Product& product);

/// The product in words, for messages: "37 x 129 times 129 x 65, bf16".
std::string describe(const Product& product);

}  // namespace systole
