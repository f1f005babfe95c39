#pragma once

#include "systole/hls/int.h"
#ifndef SYSTOLE_HLSC
#include <deque>
#include <stdexcept>
#endif

namespace systole::hls {

#ifdef SYSTOLE_HLSC
/// How `hlsc` recognises the operations; never called natively.
namespace use {
void stream_pop(const void* stream) asm("hls.kernel_pop");
void stream_push(const void* stream) asm("hls.kernel_push");
}  // namespace use
#endif

/// A stream of a function over arrays: one that it pops comes in, one that it pushes goes out.
///
///     void scale(Stream<Int<8>>& in, Stream<Int<16>>& out, UInt<8> factor) {
///       for (int i = 0; i < 64; ++i) out.push(truncate<Int<16>>(in.pop() * factor));
///     }
///
/// Shapes   T is an integer or a bool
/// Limits   a parameter `Stream<T>&`, popped or pushed, not both; one element a clock each
/// Timing   a stream that is not ready stops the whole function; natively a queue without a limit
/// Errors   natively, std::logic_error for a pop from an empty queue, which nothing would ever fill
template <typename T>
class Stream {
 public:
  using Element = T;

#ifdef SYSTOLE_HLSC
  T pop() {
    use::stream_pop(this);
    return element_;
  }
  void push(const T& value) {
    element_ = value;
    use::stream_push(this);
  }

 private:
  T element_;
#else
  T pop() {
    if (queue_.empty()) {
      throw std::logic_error("a pop from an empty Stream: push what the function takes before it");
    }
    const T value = queue_.front();
    queue_.pop_front();
    return value;
  }
  void push(const T& value) { queue_.push_back(value); }

  bool empty() const { return queue_.empty(); }
  int size() const { return static_cast<int>(queue_.size()); }
  /// What waits in the queue, the next element first.
  const std::deque<T>& waiting() const { return queue_; }

 private:
  std::deque<T> queue_;
#endif
};

/// A stream between two functions of a dataflow() function: a queue of kPlaces elements, beside the
/// two that wait at each of its ends.
///
/// Limits   a local variable, passed as the `Stream<T>&` that one function pushes and a later pops.
///          Elements that the later one leaves are dropped when it has ended
template <typename T, int kPlaces>
class LocalStream : public Stream<T> {
  static_assert(kPlaces >= 1, "a queue has at least one place");
};

}  // namespace systole::hls
