#include "host/nn/layers/pooling_2d.h"

#include <cmath>

namespace systole::nn {
namespace {

// Over rows and columns of [batch, height, width, channels].
template <typename Pooling>
graph::WindowOptions window_of(const Pooling& pooling, Value x) {
  graph::WindowOptions window = place_window(
      Pooling::kind(), x, pooling.pool, pooling.strides.value_or(pooling.pool), pooling.padding);
  const auto widen = [](graph::Integers& numbers, std::int64_t other) {
    numbers.insert(numbers.begin(), other);
    numbers.push_back(other);
  };
  widen(window.size, 1);
  widen(window.strides, 1);
  widen(window.low, 0);
  widen(window.high, 0);
  return window;
}

}  // namespace

Value MaxPooling2D::operator()(Builder&, Value x) const {
  return reduce_window(x, constant_like(x, -INFINITY), "maximum", window_of(*this, x));
}

Value AveragePooling2D::operator()(Builder&, Value x) const {
  const graph::WindowOptions window = window_of(*this, x);
  const Value zero = constant_like(x, 0);
  const Value ones = broadcast_to(constant_like(x, 1), {1, x.dimension(1), x.dimension(2), 1});
  return reduce_window(x, zero, "add", window) / reduce_window(ones, zero, "add", window);
}

}  // namespace systole::nn
