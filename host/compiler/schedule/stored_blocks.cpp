#include "host/compiler/schedule/stored_blocks.h"

#include <algorithm>
#include <utility>

namespace systole {

bool may_overlap(const MemoryRows& a, const MemoryRows& b) {
  if (a.address > b.address) return may_overlap(b, a);
  if (b.address >= a.end()) return false;
  if (a.stride != b.stride || a.stride <= 0) return true;
  // b's row j begins `column` bytes after the start of a's row first + j and may reach into the
  // next row.
  const auto distance = static_cast<std::int64_t>(b.address - a.address);
  const std::int64_t first = distance / a.stride;
  const std::int64_t column = distance % a.stride;
  const bool same_row = column < a.row_bytes && first < a.rows;
  const bool next_row = column + b.row_bytes > a.stride && first + 1 < a.rows;
  return same_row || next_row;
}

void StoredBlocks::add(const MemoryRows& block, std::int32_t store) {
  products_.back().add({block, store});
}

std::int32_t StoredBlocks::last_store(const MemoryRows& block) const {
  for (std::size_t p = products_.size(); p-- > 1;) {
    const std::int32_t store = products_[p - 1].last_store(block);
    if (store != kNone) return store;
  }
  return kNone;
}

void StoredBlocks::Product::add(const Stored& stored) {
  std::size_t entry = blocks.size();
  blocks.push_back(stored);
  for (std::size_t level = 0; level == 0 || entry > 0; ++level) {
    entry /= kBranches;
    if (level == ranges.size()) {
      // A new top level: its first entry covers everything so far.
      std::vector<Range> top;
      if (level > 0) top.push_back(ranges[level - 1].front());
      ranges.push_back(std::move(top));
    }
    if (entry == ranges[level].size()) ranges[level].emplace_back();
    Range& range = ranges[level][entry];
    range.first = std::min(range.first, stored.block.address);
    range.end = std::max(range.end, stored.block.end());
  }
}

std::int32_t StoredBlocks::Product::last_store(const MemoryRows& block) const {
  return ranges.empty() ? kNone : last_store(block, ranges.size() - 1, 0);
}

std::int32_t StoredBlocks::Product::last_store(const MemoryRows& block, std::size_t level,
                                               std::size_t entry) const {
  const Range& range = ranges[level][entry];
  if (block.address >= range.end || range.first >= block.end()) return kNone;
  const std::size_t first = entry * kBranches;
  const std::size_t below = level == 0 ? blocks.size() : ranges[level - 1].size();
  for (std::size_t i = std::min(first + kBranches, below); i-- > first;) {
    if (level > 0) {
      const std::int32_t store = last_store(block, level - 1, i);
      if (store != kNone) return store;
    } else if (may_overlap(blocks[i].block, block)) {
      return blocks[i].store;
    }
  }
  return kNone;
}

}  // namespace systole
