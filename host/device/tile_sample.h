#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/device/backend.h"
#include "host/device/product.h"

namespace systole {

/// A part of a product's C: rows x cols elements from (first_row, first_col) on, over the whole
/// depth. Computed alone it has the same bits as in the whole product, because they depend only on
/// how the depth is cut.
struct CTile {
  std::int64_t first_row = 0, first_col = 0, rows = 0, cols = 0;
};

/// Tiles of at most N x N of a product's C, row by row.
std::int64_t tile_count(const Product& product, int array_size);
CTile tile_at(const Product& product, int array_size, std::int64_t index);

/// A tile as a product of its own, with its operands as bytes.
struct TileSample {
  Product product;  ///< sizes of the tile; an address other than 0 only says the operand exists
  std::vector<std::byte> a, b, c_before, bias, mask;
};

/// The results of a tile.
struct TileResult {
  std::vector<std::byte> c, column_sums;
};

/// The tile's elements of C.
std::vector<std::byte> read_c(const Memory& memory, const Product& product, const CTile& tile);

/// The tile with its part of the operands; c_before stays empty.
TileSample take_sample(const Memory& memory, const Product& product, const CTile& tile);

/// The tile's part of the results of a product that has run.
TileResult read_result(const Memory& memory, const Product& product, const CTile& tile);

/// Runs a sample alone.
TileResult run_sample(const std::shared_ptr<Backend>& backend, const TileSample& sample);

/// Memory that a product reads or writes.
struct AddressRange {
  std::uint64_t first = 0, end = 0;
  bool overlaps(const AddressRange& other) const { return first < other.end && other.first < end; }
};
std::vector<AddressRange> ranges_read(const Product& product);  ///< without C
std::vector<AddressRange> ranges_written(const Product& product);

}  // namespace systole
