#pragma once

#include <cstdint>
#include <vector>

#include "host/device/device_sizes.h"
#include "host/device/product.h"
#include "systole/support/ceil_div.h"

namespace systole {

/// How a product is cut: C into blocks of rows by groups of column tiles, each of which fills at
/// most one accumulator bank, or both; the depth into chunks, each loaded as one block of A and one
/// of B.
struct BlockPlan {
  std::int64_t block_rows = 0;   ///< a multiple of N, except for the last block
  std::int64_t group_tiles = 0;  ///< column tiles of a group
  std::int64_t chunk_tiles = 0;  ///< depth tiles of a chunk
  bool ramps_up = false;         ///< the first chunks are short, so that compute starts early
  bool tapers = false;           ///< the last groups are small, so that the last store is short
  bool by_columns = false;       ///< all rows of some columns before the next columns
  /// A group has both accumulator banks, and the next one starts when it is stored: of a deep
  /// product whose A is loaded for each group.
  bool both_banks = false;
  friend bool operator==(const BlockPlan&, const BlockPlan&) = default;
};

/// Who uses the bus while products run.
enum class Bus : std::uint8_t {
  kProducts,  ///< they alone
  /// The vector engine as well: of the tilings with which a product of patches takes about as long,
  /// the one that loads least.
  kShared
};

/// Rows row .. row + rows - 1 and column tiles tile .. tile + tiles - 1 of C, whose A was loaded as
/// rows block_row .. block_row + block_rows - 1.
struct Group {
  std::int64_t block_row = 0, block_rows = 0;
  std::int64_t row = 0, rows = 0;
  std::int64_t tile = 0, tiles = 0;
};

/// Elements first .. first + depth - 1 of the depth, in tiles of N of which the last may have
/// fewer.
struct Chunk {
  std::int64_t first = 0, depth = 0;
  std::int64_t tiles = 0;
};

/// The groups of C in the order they are computed: row block by row block, or the other way round.
std::vector<Group> groups_of(const Product& product, const BlockPlan& plan,
                             const DeviceSizes& sizes);

/// The chunks of the depth, ascending, for one row block. Where patches go by lines and are not
/// transposed, each is of one line of the kernel.
std::vector<Chunk> chunks_of(const Product& product, const BlockPlan& plan,
                             const DeviceSizes& sizes, bool is_first_block);

/// Whether a plan's blocks and groups fit into the buffers and an accumulator bank.
bool fits(const Product& product, const BlockPlan& plan, const DeviceSizes& sizes);

/// Plans worth trying: at least one; all of them fit.
///
/// Limits   buffers of 4 N words or more, banks of N rows or more
std::vector<BlockPlan> candidate_plans(const Product& product, const DeviceSizes& sizes);

}  // namespace systole
