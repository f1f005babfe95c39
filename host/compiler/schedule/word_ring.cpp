#include "host/compiler/schedule/word_ring.h"

#include <algorithm>

namespace systole {

std::size_t WordRing::hash(const BlockKey& key) {
  // Blocks of one matrix differ in address; blocks at one address differ in size or patches.
  const auto size =
      static_cast<std::uint64_t>(key.rows * 0x10001 + key.cols + key.first_patch * 0x1003);
  return static_cast<std::size_t>(((key.address ^ size) * 0x9e37'79b9'7f4a'7c15u) >> 56);
}

WordRing::Block* WordRing::find(const BlockKey& key) {
  for (std::int64_t number = newest_[hash(key)]; number >= first_;) {
    Block& block = blocks_[static_cast<std::size_t>(number - first_)];
    if (block.key == key) return &block;
    number = block.older;
  }
  return nullptr;
}

WordRing::Block& WordRing::place(const BlockKey& key, std::int64_t words, std::int32_t& last_use) {
  const std::int64_t end = next_ + words;
  while (!blocks_.empty() && blocks_.front().place < end - words_) {
    last_use = std::max(last_use, blocks_.front().last_use);
    blocks_.pop_front();
    ++first_;
  }
  std::int64_t& newest = newest_[hash(key)];
  blocks_.push_back({.key = key, .place = next_, .words = words, .older = newest});
  newest = first_ + static_cast<std::int64_t>(blocks_.size()) - 1;
  next_ = end;
  return blocks_.back();
}

void WordRing::forget(std::uint64_t first, std::uint64_t end) {
  for (Block& block : blocks_) {
    if (block.key.address < end && first < block.key.end()) block.key = {};
  }
}

}  // namespace systole
