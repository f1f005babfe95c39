#include "host/cpu/kernel.h"
#include "host/cpu/parallel.h"
#include "host/graph/convolution.h"

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

  // Whether each element of the image lies in exactly one window.
  bool tiles() const {
    const auto covers = [](const WindowDimension& w) {
      return w.size == w.stride && w.dilation == 1 && w.low == 0 && w.output * w.size == w.input;
    };
    return covers(y) && covers(x);
  }

  // The offsets in the image of the taps of window (r, c) inside it.
  void find_taps(int64_t r, int64_t c, std::vector<int64_t>& taps) const {
    taps.clear();
    for (int64_t i = 0; i < y.size; ++i) {
      const int64_t row = y.source(r, i);
      if (row < 0) continue;
      for (int64_t j = 0; j < x.size; ++j) {
        const int64_t col = x.source(c, j);
        if (col >= 0) taps.push_back((row * x.input + col) * inner);
      }
    }
  }
};

// Neighbouring channels, which stay in a register while a window's taps are read.
template <int kCount>
struct Lanes {
  using Values = float __attribute__((ext_vector_type(kCount)));
  using Places = std::int32_t __attribute__((ext_vector_type(kCount)));
};
template <>
struct Lanes<1> {
  using Values = float;
  using Places = std::int32_t;
};

template <typename T>
T load(const float* from) {
  T values;
  __builtin_memcpy(&values, from, sizeof values);
  return values;
}

template <typename T>
void store(const T& values, float* to) {
  __builtin_memcpy(to, &values, sizeof values);
}

// Calls work(first channel, Lanes).
template <typename Work>
void for_each_lanes(int64_t channels, const Work& work) {
  int64_t k = 0;
  for (; k + 16 <= channels; k += 16) work(k, Lanes<16>{});
  for (; k + 4 <= channels; k += 4) work(k, Lanes<4>{});
  for (; k < channels; ++k) work(k, Lanes<1>{});
}

template <typename Combine>
Kernel pooling(const Pool& pool, const Operation& operation, const Combine& combine) {
  return {.run = [=, &operation](Pointers pointers, int threads) {
    const float* input = pointer<float>(pointers, operation.operands[0]);
    const float start = *pointer<float>(pointers, operation.operands[1]);
    float* output = pointer<float>(pointers, operation.results[0]);
    for_each_part(threads, pool.outer, [&](int64_t i) {
      const float* image = input + i * pool.input_size();
      float* y = output + i * pool.output_size();
      std::vector<int64_t> taps;
      for (int64_t r = 0; r < pool.y.output; ++r) {
        for (int64_t c = 0; c < pool.x.output; ++c, y += pool.inner) {
          pool.find_taps(r, c, taps);
          for_each_lanes(pool.inner, [&]<int kCount>(int64_t k, Lanes<kCount>) {
            using Values = Lanes<kCount>::Values;
            Values result = Values{} + start;
            for (const int64_t tap : taps) result = combine(result, load<Values>(image + tap + k));
            store(result, y + k);
          });
        }
      }
    });
  }};
}

// Adds each element of source to the window's greatest, the first of equals.
Kernel scattering(const Pool& pool, const Operation& operation) {
  return {.run = [=, tiles = pool.tiles(), &operation](Pointers pointers, int threads) {
    const float* input = pointer<float>(pointers, operation.operands[0]);
    const float* source = pointer<float>(pointers, operation.operands[1]);
    const float start = *pointer<float>(pointers, operation.operands[2]);
    float* result = pointer<float>(pointers, operation.results[0]);
    for_each_part(threads, pool.outer, [&](int64_t i) {
      const float* image = input + i * pool.input_size();
      const float* d_y = source + i * pool.output_size();
      float* d_x = result + i * pool.input_size();
      if (!tiles) std::fill_n(d_x, pool.input_size(), start);
      std::vector<int64_t> taps;
      for (int64_t r = 0; r < pool.y.output; ++r) {
        for (int64_t c = 0; c < pool.x.output; ++c, d_y += pool.inner) {
          pool.find_taps(r, c, taps);
          if (taps.empty()) continue;
          for_each_lanes(pool.inner, [&]<int kCount>(int64_t k, Lanes<kCount>) {
            using Values = Lanes<kCount>::Values;
            using Places = Lanes<kCount>::Places;
            auto best = load<Values>(image + taps[0] + k);
            Places where{};
            for (std::int32_t t = 1; t < std::ssize(taps); ++t) {
              const auto x = load<Values>(image + taps[t] + k);
              const auto stays = best >= x;
              best = stays ? best : x;
              where = stays ? where : Places{} + t;
            }
            const auto added = load<Values>(d_y + k);
            for (std::int32_t t = 0; t < std::ssize(taps); ++t) {
              float* to = d_x + taps[t] + k;
              const Values before = tiles ? Values{} + start : load<Values>(to);
              store<Values>(before + (where == t ? added : Values{}), to);
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
    return pooling(pool, operation, [](auto a, auto b) { return a + b; });
  }
  if (call.word("body") != "maximum") return {};
  return pooling(pool, operation, [](auto a, auto b) { return ((a > b) | (a != a)) ? a : b; });
}

}  // namespace systole::graph
