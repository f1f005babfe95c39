#include "host/runtime/stored_blocks.h"

#include <algorithm>

namespace systole {

bool may_overlap(const MemoryBlock& a, const MemoryBlock& b) {
  if (a.address > b.address) return may_overlap(b, a);
  if (b.address >= a.end()) return false;
  if (a.stride != b.stride || a.stride <= 0) return true;
  // b's row j begins `column` bytes behind the beginning of a's row first + j, and may reach into
  // the row after that.
  const auto distance = static_cast<std::int64_t>(b.address - a.address);
  const std::int64_t first = distance / a.stride;
  const std::int64_t column = distance % a.stride;
  const bool same_row = column < a.row_bytes && first < a.rows;
  const bool next_row = column + b.row_bytes > a.stride && first + 1 < a.rows;
  return same_row || next_row;
}

void StoredBlocks::add(const MemoryBlock& block, std::int32_t store) {
  Product& product = products_.back();
  product.first = std::min(product.first, block.address);
  product.end = std::max(product.end, block.end());
  product.blocks.push_back({block, store});
}

std::int32_t StoredBlocks::last_store(const MemoryBlock& block) const {
  std::int32_t last = kNone;
  for (std::size_t p = 0; p + 1 < products_.size(); ++p) {
    const Product& product = products_[p];
    if (block.address >= product.end || product.first >= block.end()) continue;
    for (const Stored& stored : product.blocks) {
      if (stored.store > last && may_overlap(stored.block, block)) last = stored.store;
    }
  }
  return last;
}

}  // namespace systole
