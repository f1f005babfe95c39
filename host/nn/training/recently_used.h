#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <utility>

#include "host/nn/numbers/shape.h"

namespace systole::nn {

/// Objects by shape; evicts the least recently used.
///
/// Limits   keeps at most `most` of them, >= 1
template <typename T>
class RecentlyUsed {
 public:
  explicit RecentlyUsed(std::size_t most) : most_(most) {}

  /// make() returns a std::unique_ptr<T>.
  template <typename Make>
  T& get(const Shape& shape, const Make& make) {
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->first != shape) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return *entry->second;
    }
    if (entries_.size() == most_) entries_.pop_back();
    return *entries_.emplace_front(shape, make()).second;
  }

  std::size_t size() const { return entries_.size(); }

 private:
  std::size_t most_;
  std::list<std::pair<Shape, std::unique_ptr<T>>> entries_;
};

}  // namespace systole::nn
