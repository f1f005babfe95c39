#include "host/compiler/schedule/program_cache.h"

#include <algorithm>
#include <utility>

namespace systole {

std::array<std::uint64_t, 16> numbers_of(const Product& p) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const int types = static_cast<int>(p.type) << 8 | static_cast<int>(p.mask_type) << 4 |
                    static_cast<int>(p.format);
  const int flags = p.transpose_a << 3 | p.transpose_b << 2 | p.accumulate << 1 | p.relu << 0;
  const int scaling = p.scale << 8 | p.shift;
  return {p.a,
          p.b,
          p.c,
          p.bias,
          p.mask,
          p.column_sums,
          p.ones,
          number(p.rows),
          number(p.depth),
          number(p.cols),
          number(types),
          number(flags),
          number(scaling),
          p.seed,
          p.patches.low,
          p.patches.high};
}

FromFirstPage::FromFirstPage(std::span<const Product> products) {
  std::uint64_t lowest = ~std::uint64_t{0};
  for (Product product : products) {
    for (const std::uint64_t* address : addresses_of(product)) {
      if (*address != 0) lowest = std::min(lowest, *address);
    }
  }
  page_ = lowest / kPage * kPage;
}

Product FromFirstPage::operator()(Product product) const {
  for (std::uint64_t* address : addresses_of(product)) {
    *address = (*this)(*address);
  }
  return product;
}

std::uint64_t hash_of(const std::vector<Product>& products) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
  for (const Product& product : products) {
    for (const std::uint64_t number : numbers_of(product)) {
      hash = (hash ^ number) * 0x100'0000'01b3U;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

ProgramCache::~ProgramCache() {
  for (const CachedProgram& program : programs_) dropped_(program);
}

const CachedProgram* ProgramCache::find(const std::vector<Product>& products) {
  const auto [first, last] = by_hash_.equal_range(hash_of(products));
  for (auto found = first; found != last; ++found) {
    if (found->second->products != products) continue;
    programs_.splice(programs_.begin(), programs_, found->second);
    return &programs_.front();
  }
  return nullptr;
}

const CachedProgram& ProgramCache::add(CachedProgram program) {
  commands_ += program.commands.size();
  programs_.push_front(std::move(program));
  by_hash_.emplace(hash_of(programs_.front().products), programs_.begin());
  shrink();
  return programs_.front();
}

void ProgramCache::shrink() {
  while (commands_ > most_commands_ && programs_.size() > 1) {
    const auto oldest = std::prev(programs_.end());
    const auto [first, last] = by_hash_.equal_range(hash_of(oldest->products));
    for (auto found = first; found != last; ++found) {
      if (found->second != oldest) continue;
      by_hash_.erase(found);
      break;
    }
    commands_ -= oldest->commands.size();
    dropped_(*oldest);
    programs_.pop_back();
  }
}

}  // namespace systole
