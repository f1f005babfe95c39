#include "host/lowering/split_pooling.h"

#include <cmath>
#include <optional>

#include "host/graph/convolution.h"
#include "host/graph/ops.h"
#include "host/graph/simplify.h"

namespace systole::lowering {
namespace {

using graph::Graph;
using graph::Operation;
using graph::Shape;
using graph::Value;

/// The height and width of windows that lie side by side.
struct Window {
  std::int64_t y = 1, x = 1;
};

std::optional<Window> window_of(const graph::Call& call) {
  const auto windows = graph::pooling_windows(call);
  if (windows.size() != 4 || windows[0].size != 1 || windows[3].size != 1) return {};
  for (const graph::WindowDimension& one : windows) {
    const bool is_plain = one.low == 0 && one.high == 0 && one.base_dilation == 1 &&
                          one.dilation == 1 && one.stride == one.size;
    if (!is_plain) return {};
  }
  return Window{.y = windows[1].size, .x = windows[2].size};
}

/// Every size-th row of `x` [a, rows, cols], from each of the first on; rows that fill no window
/// are left out.
std::vector<Value> taps(Value x, std::int64_t size) {
  const std::int64_t rows = x.dimension(1) / size * size;
  std::vector<Value> taps;
  for (std::int64_t i = 0; i < size; ++i) {
    taps.push_back(slice(x, {0, i, 0}, {x.dimension(0), rows, x.dimension(2)}, {1, size, 1}));
  }
  return taps;
}

/// The maxima of `size` neighbouring rows of `x` [a, rows, cols].
Value pool(Value x, std::int64_t size) {
  const std::vector<Value> rows = taps(x, size);
  Value most = rows[0];
  for (std::int64_t i = 1; i < size; ++i) most = maximum(most, rows[i]);
  return most;
}

/// The gradient of `x`, from that of pool(x, size).
Value spread(Value x, Value d, std::int64_t size) {
  const std::vector<Value> rows = taps(x, size);
  std::vector<Value> keeps;  // whether one of the rows before is as large
  Value most = rows[0];
  for (std::int64_t i = 1; i < size; ++i) {
    keeps.push_back(compare(most, "GE", rows[i]));
    most = maximum(most, rows[i]);
  }
  const Value zero = constant_like(d, 0);
  const Shape windows = {d.dimension(0), d.dimension(1) * size, d.dimension(2)};
  const Shape one_row = {d.dimension(0) * d.dimension(1), 1, d.dimension(2)};
  std::vector<Value> parts(static_cast<std::size_t>(size));
  for (std::size_t i = parts.size(); i-- > 1;) {
    parts[i] = reshape(select(keeps[i - 1], zero, d), one_row);
    d = select(keeps[i - 1], d, zero);
  }
  parts[0] = reshape(d, one_row);
  const Value joined = reshape(concatenate(parts, 1), windows);
  const std::int64_t rest = x.dimension(1) - windows[1];
  if (rest == 0) return joined;
  return pad(joined, constant(x.graph(), {x.type().element, {}}, 0), {0, 0, 0}, {0, rest, 0});
}

class Splitter {
 public:
  Splitter(const Graph& from, Graph& to) : from_(from), to_(to), values_(from.value_count()) {}

  void run() {
    for (const graph::Input& input : from_.inputs()) {
      values_[input.value] = to_.input(input.name, from_.type(input.value));
    }
    for (const Operation& operation : from_.operations()) {
      const Graph::Scope layer(to_, operation.scope);
      const std::vector<Value> results = rewrite(operation);
      for (std::size_t i = 0; i < results.size(); ++i) values_[operation.results[i]] = results[i];
    }
    to_.output_as(from_, values_);
  }

 private:
  std::vector<Value> rewrite(const Operation& operation) {
    const std::string_view name = operation.kind->name;
    std::vector<Value> operands;
    for (const int operand : operation.operands) operands.push_back(values_[operand]);
    const bool is_maximum = name == "reduce_window" &&
                            from_.call(operation).word("body") == "maximum" &&
                            from_.splat(operation.operands[1]) == -INFINITY;
    const bool is_gradient =
        name == "select_and_scatter" && from_.splat(operation.operands[2]) == 0;
    if (is_maximum || is_gradient) {
      if (const auto window = window_of(from_.call(operation))) {
        return {is_maximum ? maxima(operands[0], *window)
                           : gradient(operands[0], operands[1], *window)};
      }
    }
    return to_.add(operation, operands);
  }

  // The pixels of each image's row; and, pooled along it, each image's rows.
  static Value pixels(Value x) {
    return reshape(x, {x.dimension(0) * x.dimension(1), x.dimension(2), x.dimension(3)});
  }
  static Value rows(Value x, const Window& window) {
    const Value pooled = pool(pixels(x), window.x);
    return reshape(pooled,
                   {x.dimension(0), x.dimension(1), pooled.dimension(1) * pooled.dimension(2)});
  }

  static Value maxima(Value x, const Window& window) {
    return reshape(pool(rows(x, window), window.y), {x.dimension(0), x.dimension(1) / window.y,
                                                     x.dimension(2) / window.x, x.dimension(3)});
  }
  static Value gradient(Value x, Value d, const Window& window) {
    const Value pooled = rows(x, window);
    const Value d_rows =
        spread(pooled, reshape(d, {d.dimension(0), d.dimension(1), pooled.dimension(2)}), window.y);
    const Shape of_pixels = {x.dimension(0) * x.dimension(1), d.dimension(2), d.dimension(3)};
    return reshape(spread(pixels(x), reshape(d_rows, of_pixels), window.x), x.shape());
  }

  const Graph& from_;
  Graph& to_;
  std::vector<Value> values_;  // of from_, in to_
};

}  // namespace

std::unique_ptr<Graph> split_pooling(const Graph& graph) {
  Graph split;
  Splitter(graph, split).run();
  return graph::simplify(split);
}

}  // namespace systole::lowering
