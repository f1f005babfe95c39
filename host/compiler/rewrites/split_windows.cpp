#include "host/compiler/rewrites/split_windows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/convolution.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

/// The windows of an image's pixels, if `fits` each dimension.
std::optional<Window> windows_that(bool (*fits)(const graph::WindowDimension&),
                                   const graph::Call& call) {
  const auto windows = graph::pooling_windows(call);
  if (windows.size() != 4 || windows[0].size != 1 || windows[3].size != 1 ||
      !std::ranges::all_of(windows, fits)) {
    return {};
  }
  return Window{.y = windows[1].size, .x = windows[2].size};
}

/// The windows of a sum's gradient: each pixel of `d` goes to all of its window.
std::optional<Window> window_of_sum(const graph::Call& call) {
  const auto spreads = [](const graph::WindowDimension& one) {
    return one.base_dilation == one.size && one.low == one.size - 1 && one.high >= one.low &&
           one.stride == 1 && one.dilation == 1;
  };
  return windows_that(spreads, call);
}

/// The pixels at one place of each window.
Value pixels_at(Value x, const Window& window, std::int64_t i, std::int64_t j) {
  const std::int64_t height = x.dimension(1) / window.y, width = x.dimension(2) / window.x;
  return slice(x, {0, i, j, 0},
               {x.dimension(0), height * window.y, width * window.x, x.dimension(3)},
               {1, window.y, window.x, 1});
}

/// The largest pixels of an image's windows, and where they are, the first of equal ones. A
/// window's pixels, counted row by row, are halved again and again; the first choice says whether
/// the largest is in the first half, the next one the same within that half.
struct Pooled {
  Value largest;
  std::vector<Value> choices;
};

/// How many of so many pixels are the first half.
std::int64_t first_half(std::int64_t pixels) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(pixels)) / 2);
}

Pooled pool(std::span<const Value> pixels) {
  if (pixels.size() == 1) return {pixels[0], {}};
  const auto half = static_cast<std::size_t>(first_half(std::ssize(pixels)));
  const Pooled a = pool(pixels.first(half)), b = pool(pixels.subspan(half));
  Pooled both{.largest = maximum(a.largest, b.largest), .choices = {}};
  // Not a >= b: b then comes straight from its stream.
  const Value is_first = compare(both.largest, "EQ", a.largest);
  both.choices.push_back(is_first);
  for (std::size_t i = 0; i < a.choices.size(); ++i) {
    const bool only_first = i >= b.choices.size();
    both.choices.push_back(only_first ? a.choices[i]
                                      : select(is_first, a.choices[i], b.choices[i]));
  }
  return both;
}

Pooled pool(Value x, const Window& window) {
  std::vector<Value> pixels;  // of all windows, at one place each
  for (std::int64_t i = 0; i < window.y; ++i) {
    for (std::int64_t j = 0; j < window.x; ++j) pixels.push_back(pixels_at(x, window, i, j));
  }
  return pool(pixels);
}

/// An image of `shape` whose windows have the pixels that `pixel(place)` gives, each [windows, 1,
/// channels], and zeros where there is no window.
template <typename Pixel>
Value windows_of(Value d, const Shape& shape, const Window& window, const Pixel& pixel) {
  const std::int64_t height = d.dimension(1), width = d.dimension(2), channels = d.dimension(3);
  const auto padded = [](Value x, std::int64_t rows) {
    return rows == 0
               ? x
               : pad(x, constant(x.graph(), {x.type().element, {}}, 0), {0, 0, 0}, {0, rows, 0});
  };
  const auto joined = [](const std::vector<Value>& parts) {
    return parts.size() == 1 ? parts[0] : concatenate(parts, 1);
  };
  std::vector<Value> rows;
  for (std::int64_t i = 0; i < window.y; ++i) {
    std::vector<Value> pixels;
    for (std::int64_t j = 0; j < window.x; ++j) {
      pixels.push_back(pixel(static_cast<std::size_t>(i * window.x + j)));
    }
    const Shape row = {d.dimension(0) * height, width * window.x, channels};
    const Value whole = padded(reshape(joined(pixels), row), shape[2] - width * window.x);
    rows.push_back(reshape(whole, {row[0], 1, shape[2] * channels}));
  }
  const Shape image = {shape[0], height * window.y, shape[2] * channels};
  return reshape(padded(reshape(joined(rows), image), shape[1] - image[1]), shape);
}

Shape each_pixel(Value d) {
  return {d.dimension(0) * d.dimension(1) * d.dimension(2), 1, d.dimension(3)};
}

/// `d` at one of `pixels` places, where the choices say, and 0 at the others.
void spread(Value d, std::int64_t pixels, std::span<const Value> choices, std::vector<Value>& all) {
  if (pixels == 1) return all.push_back(d);
  const Value none = constant_like(d, 0);
  const std::int64_t half = first_half(pixels);
  spread(select(choices[0], d, none), half, choices.subspan(1), all);
  spread(select(choices[0], none, d), pixels - half, choices.subspan(1), all);
}

/// `d` at its place of each window of an image of `shape`, zeros elsewhere.
Value spread(const Pooled& pooled, Value d, const Shape& shape, const Window& window) {
  std::vector<Value> choices, all;
  for (const Value choice : pooled.choices) choices.push_back(reshape(choice, each_pixel(d)));
  spread(reshape(d, each_pixel(d)), window.y * window.x, choices, all);
  return windows_of(d, shape, window, [&](std::size_t place) { return all[place]; });
}

/// A kernel has four streams each way: larger windows go along rows, then along columns.
bool is_large(const Window& window) {
  return window.x > 1 && window.y > 1 && window.x * window.y > 4;
}

Value maxima(Value x, const Window& window) {
  if (!is_large(window)) return pool(x, window).largest;
  return maxima(maxima(x, {.x = window.x}), {.y = window.y});
}

Value gradient(Value x, Value d, const Window& window) {
  if (!is_large(window)) return spread(pool(x, window), d, x.shape(), window);
  const Value rows = maxima(x, {.x = window.x});
  return gradient(x, gradient(rows, d, {.y = window.y}), {.x = window.x});
}

Value sums(Value x, const Window& window) {
  if (is_large(window)) return sums(sums(x, {.x = window.x}), {.y = window.y});
  Value sum = {};
  for (std::int64_t i = 0; i < window.y; ++i) {
    for (std::int64_t j = 0; j < window.x; ++j) {
      const Value pixel = pixels_at(x, window, i, j);
      sum = sum ? sum + pixel : pixel;
    }
  }
  return sum;
}

Value gradient_of_sums(Value d, const Shape& shape, const Window& window) {
  if (is_large(window)) {
    const Shape rows = {shape[0], d.dimension(1), shape[2], shape[3]};
    return gradient_of_sums(gradient_of_sums(d, rows, {.x = window.x}), shape, {.y = window.y});
  }
  return windows_of(d, shape, window, [&](std::size_t) { return reshape(d, each_pixel(d)); });
}

/// `d` with zeros below and right of each pixel, as many as fill a window.
Value with_holes(Value d, const Window& window) {
  if (is_large(window)) return with_holes(with_holes(d, {.y = window.y}), {.x = window.x});
  const Shape shape = {d.dimension(0), d.dimension(1) * window.y, d.dimension(2) * window.x,
                       d.dimension(3)};
  const Value pixel = reshape(d, each_pixel(d)), none = constant_like(pixel, 0);
  return windows_of(d, shape, window, [&](std::size_t place) {
    return place == 0 ? pixel : broadcast_to(none, pixel.shape());
  });
}

class Splitter {
 public:
  Splitter(const Graph& from, std::span<const Value> values) : from_(from), values_(values) {}

  std::optional<Value> operator()(const Operation& operation) const {
    const std::string_view name = operation.kind->name;
    std::vector<Value> operands;
    for (const int operand : operation.operands) operands.push_back(values_[operand]);
    const bool is_maximum = name == "reduce_window" &&
                            from_.call(operation).word("body") == "maximum" &&
                            from_.splat(operation.operands[1]) == -INFINITY;
    if (is_maximum) {
      if (const auto window = window_of(from_.call(operation))) {
        return maxima(operands[0], *window);
      }
    }
    if (name == "convolution") {
      if (const auto filled = holes_filled(operation, operands)) return filled;
    }
    if (name == "reduce_window") {
      if (const auto sum = summed(operation, operands[0])) return sum;
    }
    if (const auto window = window_of_gradient(&operation)) {
      return gradient(operands[0], operands[1], *window);
    }
    return masked_gradient(operation);
  }

 private:
  // The gradient of a strided convolution's images: holes between pixels become zeros in memory.
  std::optional<Value> holes_filled(const Operation& operation, std::span<const Value> x) const {
    const graph::Call call = from_.call(operation);
    const std::string& words = call.word("dimension_numbers");
    const auto dimensions = graph::parse_convolution(words);
    const auto windows = graph::convolution_windows(call, dimensions);
    const graph::ConvolutionDimensions::Layout image{.first = 0, .second = 3, .spatial = {1, 2}};
    if (windows.size() != 2 || dimensions.input != image) return {};
    const Window holes{.y = windows[0].base_dilation, .x = windows[1].base_dilation};
    graph::WindowOptions options;
    for (const graph::WindowDimension& one : windows) {
      options.low.push_back(one.low);
      options.high.push_back(one.high - (one.base_dilation - 1));
      options.strides.push_back(one.stride);
      options.base_dilation.push_back(1);
      options.dilation.push_back(one.dilation);
    }
    if (holes.y == 1 && holes.x == 1) return {};
    return convolution(with_holes(x[0], holes), x[1], words, options);
  }

  // An average pooling's sums, their gradient, or the number of pixels in its windows.
  std::optional<Value> summed(const Operation& operation, Value x) const {
    const graph::Call call = from_.call(operation);
    if (call.word("body") != "add" || from_.splat(operation.operands[1]) != 0) return {};
    const Shape& shape = from_.type(operation.results[0]).shape;
    if (const auto window = window_of(call)) {
      const auto number = from_.splat(operation.operands[0]);
      if (!number) return sums(x, *window);
      return broadcast_to(constant_like(x, *number * static_cast<double>(window->y * window->x)),
                          shape);
    }
    const auto window = window_of_sum(call);
    return window ? std::optional(gradient_of_sums(x, shape, *window)) : std::nullopt;
  }

  std::optional<Window> window_of_gradient(const Operation* operation) const {
    if (!is(operation, "select_and_scatter") || from_.splat(operation->operands[2]) != 0) return {};
    return window_of(from_.call(*operation));
  }

  // A ReLU's gradient after its pooling's: where the largest of a window is 0, all of it is. That
  // masks the pooled gradient, which is smaller.
  std::optional<Value> masked_gradient(const Operation& select) const {
    if (select.kind->name != "select" || from_.splat(select.operands[2]) != 0) return {};
    const Operation* compare = from_.maker(select.operands[0]);
    const Operation* scatter = from_.maker(from_.before_reshapes(select.operands[1]));
    const auto window = window_of_gradient(scatter);
    if (!window || !is(compare, "compare") ||
        from_.call(*compare).word("comparison_direction") != "GT" ||
        from_.before_reshapes(compare->operands[0]) !=
            from_.before_reshapes(scatter->operands[0]) ||
        from_.splat(compare->operands[1]) != 0) {
      return {};
    }
    const Value x = values_[scatter->operands[0]], d = values_[scatter->operands[1]];
    const Value pooled = maxima(x, *window);
    const Value is_open = graph::compare(pooled, "GT", constant_like(pooled, 0));
    const Value masked = graph::select(is_open, d, constant_like(d, 0));
    return reshape(gradient(x, masked, *window), from_.type(select.results[0]).shape);
  }

  const Graph& from_;
  std::span<const Value> values_;
};

}  // namespace

std::optional<Window> window_of(const graph::Call& call) {
  const auto are_side_by_side = [](const graph::WindowDimension& one) {
    return one.low == 0 && one.high == 0 && one.base_dilation == 1 && one.dilation == 1 &&
           one.stride == one.size;
  };
  return windows_that(are_side_by_side, call);
}

std::unique_ptr<Graph> split_windows(const Graph& graph) {
  return rewrite(graph, [&](const Operation& operation, std::span<const Value> values) {
    return Splitter(graph, values)(operation);
  });
}

}  // namespace systole::lowering
