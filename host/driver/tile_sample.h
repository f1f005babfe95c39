#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/driver/backend.h"
#include "host/driver/product.h"

namespace systole {

/// A part of a product's C: rows x cols elements from (first_row, first_col) on, over the whole
/// depth. Its bits are those of the whole product, because only the cut of the depth decides them.
struct CTile {
  std::int64_t first_row = 0, first_col = 0, rows = 0, cols = 0;
};

/// Tiles of at most N x N of a product's C, row by row.
std::int64_t tile_count(const Product& product, int array_size);
CTile tile_at(const Product& product, int array_size, std::int64_t index);

/// A tile as a product of its own, with what it reads as bytes.
struct TileSample {
  Product product;  ///< sizes of the tile; its addresses only say which operands there are
  std::vector<std::byte> a, b, c_before, bias, mask;
};

/// What a tile came to.
struct TileResult {
  std::vector<std::byte> c, column_sums;
};

/// What C holds of a tile.
std::vector<std::byte> read_c(const Memory& memory, const Product& product, const CTile& tile);

/// What a tile reads of its operands, as a product of its own; c_before stays empty.
TileSample take_sample(const Memory& memory, const Product& product, const CTile& tile);

/// The tile's part of a product that has run.
TileResult read_result(const Memory& memory, const Product& product, const CTile& tile);

/// Runs a sample by itself.
TileResult run_sample(const std::shared_ptr<Backend>& backend, const TileSample& sample);

/// Memory that a product reads or writes.
struct AddressRange {
  std::uint64_t first = 0, end = 0;
  bool overlaps(const AddressRange& other) const { return first < other.end && other.first < end; }
};
std::vector<AddressRange> ranges_read(const Product& product);  ///< without C
std::vector<AddressRange> ranges_written(const Product& product);

}  // namespace systole
