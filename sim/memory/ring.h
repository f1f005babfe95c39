#pragma once

#include <array>
#include <cstddef>

namespace systole::sim {

/// A queue of at most kCapacity elements, in place: a running simulation allocates nothing.
///
/// Limits   kCapacity is a power of two; the caller keeps within it
template <typename T, std::size_t kCapacity>
class Ring {
  static_assert((kCapacity & (kCapacity - 1)) == 0, "a Ring's capacity is a power of two");

 public:
  bool empty() const { return first_ == end_; }
  std::size_t size() const { return end_ - first_; }
  T& front() { return element_[first_ % kCapacity]; }
  const T& front() const { return element_[first_ % kCapacity]; }
  T& push(const T& element) { return element_[end_++ % kCapacity] = element; }
  void pop() { ++first_; }
  void clear() { first_ = end_ = 0; }

 private:
  std::array<T, kCapacity> element_{};
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

}  // namespace systole::sim
