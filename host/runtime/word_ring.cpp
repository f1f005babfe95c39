#include "host/runtime/word_ring.h"

#include <algorithm>

namespace systole {

WordRing::Block* WordRing::find(const BlockKey& key) {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const Block& block) { return block.key == key; });
  return found == blocks_.end() ? nullptr : &*found;
}

WordRing::Block& WordRing::place(const BlockKey& key, std::int64_t words, std::int32_t& last_use) {
  const std::int64_t end = next_ + words;
  while (!blocks_.empty() && blocks_.front().place < end - words_) {
    last_use = std::max(last_use, blocks_.front().last_use);
    blocks_.pop_front();
  }
  blocks_.push_back({.key = key, .place = next_, .words = words});
  next_ = end;
  return blocks_.back();
}

void WordRing::forget(std::uint64_t first, std::uint64_t end) {
  for (Block& block : blocks_) {
    if (block.key.address < end && first < block.key.end()) block.key = {};
  }
}

}  // namespace systole
