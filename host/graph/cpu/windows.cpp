#include <cstring>

#include "host/graph/convolution.h"
#include "host/graph/cpu/kernel.h"
#include "host/graph/cpu/parallel.h"

namespace systole::graph {
namespace {

using std::int64_t;

// Windows over two dimensions of [outer, y, x, inner]; loops vectorise over the contiguous inner
// elements.
struct Pool {
  int64_t outer = 1, inner = 1;
  WindowDimension y, x;

  bool place(const std::vector<WindowDimension>& windows) {
    const auto is_plain = [](const WindowDimension& w) {
      return w.size == 1 && w.stride == 1 && w.low == 0 && w.high == 0 && w.base_dilation == 1;
    };
    if (windows.size() != 4 || !is_plain(windows[0]) || !is_plain(windows[3])) return false;
    outer = windows[0].input;
    inner = windows[3].input;
    y = windows[1];
    x = windows[2];
    return y.base_dilation == 1 && x.base_dilation == 1;
  }

  int64_t input_size() const { return y.input * x.input * inner; }
  int64_t output_size() const { return y.output * x.output * inner; }

  // Calls work(offset in the image) for each tap of window (r, c) inside the image.
  template <typename Work>
  void for_each_tap(int64_t r, int64_t c, const Work& work) const {
    for (int64_t i = 0; i < y.size; ++i) {
      const int64_t row = y.source(r, i);
      if (row < 0) continue;
      for (int64_t j = 0; j < x.size; ++j) {
        const int64_t col = x.source(c, j);
        if (col >= 0) work((row * x.input + col) * inner);
      }
    }
  }
};

template <typename Combine>
Kernel pooling(const Pool& pool, const Operation& operation, const Combine& combine) {
  return {.run = [=, &operation](Pointers pointers, int threads) {
    const float* input = pointer<float>(pointers, operation.operands[0]);
    const float start = *pointer<float>(pointers, operation.operands[1]);
    float* output = pointer<float>(pointers, operation.results[0]);
    for_each_part(threads, pool.outer, [&](int64_t i) {
      const float* image = input + i * pool.input_size();
      float* y = output + i * pool.output_size();
      for (int64_t r = 0; r < pool.y.output; ++r) {
        for (int64_t c = 0; c < pool.x.output; ++c, y += pool.inner) {
          std::fill_n(y, pool.inner, start);
          pool.for_each_tap(r, c, [&](int64_t place) {
            const float* x = image + place;
            for (int64_t k = 0; k < pool.inner; ++k) y[k] = combine(y[k], x[k]);
          });
        }
      }
    });
  }};
}

// best = max(best, x) and its position; keeps the first of equals.
void take_larger(const float* x, int64_t count, std::int32_t place, float* best,
                 std::int32_t* where) {
  for (int64_t k = 0; k < count; ++k) {
    const bool stays = best[k] >= x[k];
    best[k] = stays ? best[k] : x[k];
    where[k] = stays ? where[k] : place;
  }
}

Kernel scattering(const Pool& pool, const Operation& operation) {
  return {.run = [=, &operation](Pointers pointers, int threads) {
    const float* input = pointer<float>(pointers, operation.operands[0]);
    const float* source = pointer<float>(pointers, operation.operands[1]);
    const float start = *pointer<float>(pointers, operation.operands[2]);
    float* result = pointer<float>(pointers, operation.results[0]);
    const auto inner = static_cast<std::size_t>(pool.inner);
    for_each_part(threads, pool.outer, [&](int64_t i) {
      const float* image = input + i * pool.input_size();
      const float* d_y = source + i * pool.output_size();
      float* d_x = result + i * pool.input_size();
      std::fill_n(d_x, pool.input_size(), start);
      thread_local std::vector<float> best;
      thread_local std::vector<std::int32_t> where;
      best.resize(inner);
      where.resize(inner);
      for (int64_t r = 0; r < pool.y.output; ++r) {
        for (int64_t c = 0; c < pool.x.output; ++c, d_y += pool.inner) {
          bool first = true;
          pool.for_each_tap(r, c, [&](int64_t place) {
            if (first) {
              std::memcpy(best.data(), image + place, inner * sizeof(float));
              std::fill(where.begin(), where.end(), static_cast<std::int32_t>(place));
              first = false;
            } else {
              take_larger(image + place, pool.inner, static_cast<std::int32_t>(place), best.data(),
                          where.data());
            }
          });
          pool.for_each_tap(r, c, [&](int64_t place) {
            float* to = d_x + place;
            for (int64_t k = 0; k < pool.inner; ++k) {
              to[k] += where[k] == place ? d_y[k] : 0.0f;
            }
          });
        }
      }
    });
  }};
}

}  // namespace

Kernel window_kernel(const Graph& graph, const Operation& operation) {
  const std::string_view name = operation.kind->name;
  if (name != "reduce_window" && name != "select_and_scatter") return {};
  const Call call = graph.call(operation);
  Pool pool;
  if (call.operands[0].element != Element::kF32 || !pool.place(pooling_windows(call)) ||
      pool.input_size() > std::numeric_limits<std::int32_t>::max()) {
    return {};
  }
  if (name == "select_and_scatter") return scattering(pool, operation);
  if (call.word("body") == "add") {
    return pooling(pool, operation, [](float a, float b) { return a + b; });
  }
  if (call.word("body") != "maximum") return {};
  return pooling(pool, operation, [](float a, float b) { return a > b || a != a ? a : b; });
}

}  // namespace systole::graph
