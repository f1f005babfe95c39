#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole {

/// Rows of bytes in memory, `stride` bytes apart.
struct MemoryRows {
  std::uint64_t address = 0;
  std::int64_t rows = 1, row_bytes = 0, stride = 0;

  std::uint64_t end() const {
    return address + static_cast<std::uint64_t>((rows - 1) * stride + row_bytes);
  }
};

/// Whether two blocks may share a byte: exact for equal strides, else by their address ranges.
bool may_overlap(const MemoryRows& a, const MemoryRows& b);

/// Which store of a program wrote which memory, so that a load waits only for the stores it reads
/// from.
class StoredBlocks {
 public:
  static constexpr std::int32_t kNone = -1;

  void begin_product() { products_.emplace_back(); }
  /// Limits   stores come in ascending order
  void add(const MemoryRows& block, std::int32_t store);

  /// The last store of all products but the newest that wrote into the block.
  std::int32_t last_store(const MemoryRows& block) const;

 private:
  /// Addresses first .. end - 1.
  struct Range {
    std::uint64_t first = ~std::uint64_t{0}, end = 0;
  };
  struct Stored {
    MemoryRows block;
    std::int32_t store;
  };
  /// The blocks that a product has stored, under a tree of the address ranges they lie in. Entry i
  /// of ranges[0] covers kBranches blocks from i x kBranches on; entry i of ranges[l] covers as
  /// many entries of ranges[l - 1].
  struct Product {
    std::vector<Stored> blocks;
    std::vector<std::vector<Range>> ranges;

    void add(const Stored& stored);
    std::int32_t last_store(const MemoryRows& block) const;
    std::int32_t last_store(const MemoryRows& block, std::size_t level, std::size_t entry) const;
  };
  static constexpr std::size_t kBranches = 8;

  std::vector<Product> products_;
};

}  // namespace systole
