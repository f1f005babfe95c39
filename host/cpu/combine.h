#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace systole::graph {

/// How a reduction combines elements.
enum class Combine : std::uint8_t { kAdd, kMultiply, kMaximum, kMinimum };

/// The neutral element.
inline float identity(Combine combine) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (combine) {
    case Combine::kAdd:
      return 0;
    case Combine::kMultiply:
      return 1;
    case Combine::kMaximum:
      return -kInfinity;
    case Combine::kMinimum:
      return kInfinity;
  }
  return 0;
}

/// Calls work with the function of two elements; all of them propagate NaN.
template <typename Work>
void with(Combine combine, const Work& work) {
  switch (combine) {
    case Combine::kAdd:
      return work([](float a, float b) { return a + b; });
    case Combine::kMultiply:
      return work([](float a, float b) { return a * b; });
    case Combine::kMaximum:
      return work([](float a, float b) { return a > b || a != a ? a : b; });
    case Combine::kMinimum:
      return work([](float a, float b) { return a < b || a != a ? a : b; });
  }
}

/// Reduces a run of elements in independent lanes.
template <typename F>
float combine_run(const F& f, const float* x, std::int64_t count, float start) {
  constexpr std::int64_t kLanes = 16;
  if (count < 2 * kLanes) {
    for (std::int64_t i = 0; i < count; ++i) start = f(start, x[i]);
    return start;
  }
  float lanes[kLanes];
  std::copy_n(x, kLanes, lanes);
  std::int64_t i = kLanes;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t k = 0; k < kLanes; ++k) lanes[k] = f(lanes[k], x[i + k]);
  }
  for (; i < count; ++i) lanes[i % kLanes] = f(lanes[i % kLanes], x[i]);
  for (std::int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::int64_t k = 0; k < width; ++k) lanes[k] = f(lanes[k], lanes[k + width]);
  }
  return f(start, lanes[0]);
}

}  // namespace systole::graph
