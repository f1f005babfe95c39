
#include "host/graph/convolution.h"
#include "host/graph/gradient.h"
#include "host/graph/operations/body.h"
#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

using std::int64_t;

Shape output_shape(const std::vector<WindowDimension>& windows) {
  Shape shape;
  for (const auto& window : windows) shape.push_back(window.output);
  return shape;
}

// Calls work(index of the input, its place) for each tap of a window inside the input.
template <typename Work>
void for_each_tap(const std::vector<WindowDimension>& windows, const Integers& strides,
                  const Integers& window, const Work& work) {
  Shape taps;
  for (const auto& dimension : windows) taps.push_back(dimension.size);
  for_each_index(taps, [&](const Integers& tap) {
    int64_t place = 0;
    for (std::size_t d = 0; d < tap.size(); ++d) {
      const int64_t source = windows[d].source(window[d], tap[d]);
      if (source < 0) return;
      place += source * strides[d];
    }
    work(place);
  });
}

void need_start(const Call& call, std::size_t operand) {
  const Type scalar{call.operands[0].element, {}};
  call.need(call.operands[operand] == scalar, "the start is {}, not {}",
            to_string(call.operands[operand]), to_string(scalar));
}

std::vector<Type> infer_reduce_window(const Call& call) {
  body_of(call);
  need_start(call, 1);
  return {{call.operands[0].element, output_shape(pooling_windows(call))}};
}

std::vector<Literal> evaluate_reduce_window(const Call& call, std::span<const Literal> x) {
  const Body body = body_of(call);
  const auto windows = pooling_windows(call);
  const Integers strides = row_major_strides(x[0].type.shape);
  Literal result{infer_reduce_window(call)[0], {}};
  for_each_index(result.type.shape, [&](const Integers& index) {
    double sum = x[1].at(0);
    for_each_tap(windows, strides, index, [&](int64_t place) {
      sum = apply(body, result.type.element, sum, x[0].at(place));
    });
    result.values.push_back(sum);
  });
  return {result};
}

// The gradient of sums is sums of the gradient, with strides and holes swapped.
void d_reduce_window(Backward& b) {
  const Body body = body_of(b.call());
  const Value zero = constant_like(b.d(), 0);
  WindowOptions window{.size = b.call().integers("window_dimensions")};
  b.call().need((body == Body::kAdd || body == Body::kMaximum) && !b.wants(1),
                "has no gradient for a body of {}", b.call().word("body"));
  for (const WindowDimension& w : pooling_windows(b.call())) {
    if (body == Body::kMaximum) {
      b.call().need(w.base_dilation == 1 && w.dilation == 1, "has no gradient with dilation");
      window.low.push_back(w.low);
      window.high.push_back(w.high);
      window.strides.push_back(w.stride);
      continue;
    }
    window.low.push_back(WindowDimension::dilated(w.size, w.dilation) - 1 - w.low);
    window.high.push_back(WindowDimension::dilated(w.input, w.base_dilation) + w.low -
                          WindowDimension::dilated(w.output, w.stride));
    window.strides.push_back(w.base_dilation);
    window.base_dilation.push_back(w.stride);
    window.dilation.push_back(w.dilation);
  }
  b.give(0, body == Body::kMaximum ? select_and_scatter(b.operand(0), b.d(), zero, window)
                                   : reduce_window(b.d(), zero, "add", window));
}

std::vector<Type> infer_select_and_scatter(const Call& call) {
  call.need(call.word("select") == "compare GE" && call.word("scatter") == "add",
            "only selecting by GE and scattering by add are supported");
  call.need_elements(0, is_float(call.operands[0].element), "a float");
  need_start(call, 2);
  const Type source{call.operands[0].element, output_shape(pooling_windows(call))};
  call.need(call.operands[1] == source, "the source is {}, not {}", to_string(call.operands[1]),
            to_string(source));
  return {call.operands[0]};
}

std::vector<Literal> evaluate_select_and_scatter(const Call& call, std::span<const Literal> x) {
  const auto windows = pooling_windows(call);
  const Integers strides = row_major_strides(x[0].type.shape);
  Literal result{x[0].type, std::vector<double>(element_count(x[0].type.shape), x[2].at(0))};
  int64_t i = 0;
  for_each_index(x[1].type.shape, [&](const Integers& index) {
    int64_t selected = -1;
    for_each_tap(windows, strides, index, [&](int64_t place) {
      if (selected < 0 || !(x[0].at(selected) >= x[0].at(place))) selected = place;
    });
    const double source = x[1].at(i++);
    if (selected >= 0) result.values[selected] += source;
  });
  return {result};
}

}  // namespace

std::span<const OperationKind> window_kinds() {
  static const std::vector<OperationKind> kKinds = {
      {.name = "reduce_window",
       .operands = 2,
       .attributes = {{"base_dilations", Form::kIntegers},
                      {"padding", Form::kPairs},
                      {"window_dilations", Form::kIntegers},
                      {"window_dimensions", Form::kIntegers},
                      {"window_strides", Form::kIntegers},
                      {"body", Form::kRegion}},
       .infer = infer_reduce_window,
       .evaluate = evaluate_reduce_window,
       .gradient = d_reduce_window},
      {.name = "select_and_scatter",
       .operands = 3,
       .attributes = {{"padding", Form::kPairs},
                      {"window_dimensions", Form::kIntegers},
                      {"window_strides", Form::kIntegers},
                      {"select", Form::kRegion},
                      {"scatter", Form::kRegion}},
       .infer = infer_select_and_scatter,
       .evaluate = evaluate_select_and_scatter},
  };
  return kKinds;
}

}  // namespace systole::graph
