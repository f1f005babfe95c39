#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "host/compiler/schedule/block_plan.h"
#include "host/compiler/schedule/engine_streams.h"
#include "host/compiler/schedule/memory_uses.h"
#include "host/compiler/schedule/patches.h"
#include "host/compiler/schedule/stored_blocks.h"
#include "host/compiler/schedule/word_ring.h"

namespace systole {

/// Lowers products, tiled by their plans, to steps of the three engines, and tracks what each
/// buffer of the device holds.
class ProductLowering {
 public:
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  /// uses: memory uses, which the vector engine's steps share; null if there are none.
  ProductLowering(const DeviceSizes& sizes, Keep keep, MemoryUses* uses = nullptr)
      : sizes_(sizes),
        uses_(uses),
        streams_(keep),
        rows_(sizes.row_words),
        weights_(sizes.weight_words),
        masks_(sizes.mask_words) {}

  /// Adds a product. Gives up and returns false as soon as the program's end, by
  /// EngineTimes::clocks, cannot be before `most_clocks`. Later products will keep compute busy for
  /// `clocks_to_come` more.
  bool add(const Product& product, const BlockPlan& plan, std::int64_t most_clocks = kForever,
           std::int64_t clocks_to_come = 0);

  /// Adds a step of the vector engine and returns its number; it writes the memory `writes`.
  std::int32_t add_vector(const Step& step, std::span<const MemorySpan> writes);

  const EngineStreams& streams() const { return streams_; }

  /// How many clocks a product keeps compute busy.
  std::int64_t product_clocks(const Product& product, const BlockPlan& plan) const;

 private:
  /// An accumulator bank: the last store that reads it.
  struct Bank {
    std::int32_t stored_by = Step::kNothing;
  };
  /// A group under way: where its sums lie and what they wait for.
  struct Sums {
    std::int64_t row = 0;        ///< accumulator row of the first column tile
    std::int64_t tile_rows = 0;  ///< accumulator rows of a column tile
    bool ones_row = false;
    bool preloaded = false;
    std::int32_t preloaded_by = Step::kNothing;
    std::int32_t free_after = Step::kNothing;  ///< a store
    bool adds = false;  ///< some product adds to the sums and so keeps store out of the bank
  };
  /// What one command multiplies of a group and a chunk, in one of the group's column tiles.
  struct Part {
    std::int64_t a_row = 0, sum_row = 0;  ///< from the first row of the block and of the tile
    std::int64_t rows = 0;                ///< of the sums
    std::int64_t tiles = 0, depth = 0;
    bool adds = false;
    bool ones_row = false;
  };

  std::int64_t product_clocks(const Product& product, const Group& group,
                              const std::optional<Patches>& patches) const;
  void add_group(const Product& product, const BlockPlan& plan, const Group& group);
  void preload(const Product& product, const Group& group, Sums& sums);
  WordRing::Block& a_block(const Product& product, const Group& group, const Chunk& chunk);
  WordRing::Block& b_block(const Product& product, const Group& group, const Chunk& chunk);
  WordRing::Block& block(WordRing& ring, device::LoadBuffer buffer, const BlockKey& key,
                         std::int64_t words, device::LoadType type);
  void multiply_ones(const Product& product, const Group& group, const Sums& sums);
  std::vector<Part> parts_of(const Product& product, const Group& group, const Chunk& chunk,
                             const Sums& sums, const WordRing::Block& a) const;
  /// One command: `command` says what the operands are, the rest follows.
  std::int32_t multiply(device::Matmul command, const Part& part, std::int64_t column,
                        const Sums& sums, WordRing::Block& a, WordRing::Block& b);
  void store(const Product& product, const Group& group, const Sums& sums,
             std::span<const std::int32_t> products);
  std::int32_t load(const BlockKey& key, device::LoadBuffer buffer, device::LoadType type,
                    std::uint16_t row, Step step);
  std::int32_t add(Engine engine, Step& step, const MemoryRows& block);
  std::int64_t tile_cols(const Product& product, std::int64_t tile, std::int64_t tiles) const;
  std::int64_t beats(std::uint64_t address, std::int64_t bytes, std::int64_t stride) const;

  DeviceSizes sizes_;
  MemoryUses* uses_;
  EngineStreams streams_;
  StoredBlocks stored_;
  WordRing rows_, weights_, masks_;
  std::array<Bank, 2> banks_;
  int next_bank_ = 0;
  std::optional<Patches> patches_;  // of the product that is added
  bool set_scale_ = false;          // the product's first store must still set it
};

}  // namespace systole
