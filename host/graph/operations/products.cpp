#include <algorithm>

#include "host/graph/convolution.h"
#include "host/graph/gradient.h"
#include "host/graph/operations/body.h"
#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

using std::int64_t;

// Products of bytes are sums in int32, as a matrix unit has them; others keep the type.
Element element_of_product(const Type& operand) {
  return is_byte(operand.element) ? Element::kS32 : operand.element;
}

// ---- dot_general: batching dimensions, then the free ones of either side ----

struct Dot {
  const Integers &batch_a, &batch_b, &depth_a, &depth_b;
  Integers free_a, free_b;

  explicit Dot(const Call& call)
      : batch_a(list(call, "lhs_batching_dimensions")),
        batch_b(list(call, "rhs_batching_dimensions")),
        depth_a(list(call, "lhs_contracting_dimensions")),
        depth_b(list(call, "rhs_contracting_dimensions")),
        free_a(rest(call.operands[0].rank(), batch_a, depth_a)),
        free_b(rest(call.operands[1].rank(), batch_b, depth_b)) {}

 private:
  static const Integers& list(const Call& call, std::string_view name) {
    return call.get<Dimensions>("dot_dimension_numbers")[name];
  }
  static Integers rest(int64_t rank, const Integers& batch, const Integers& depth) {
    Integers free;
    for (int64_t d = 0; d < rank; ++d) {
      if (!contains(batch, d) && !contains(depth, d)) free.push_back(d);
    }
    return free;
  }
};

std::vector<Type> infer_dot(const Call& call) {
  const Dot dot(call);
  const Type &a = call.operands[0], &b = call.operands[1];
  call.need(a.element == b.element && a.element != Element::kPred, "the elements do not multiply");
  const auto need_pairs = [&](const Integers& left, const Integers& right, std::string_view what) {
    call.need(left.size() == right.size(), "{} {} dimensions meet {}", left.size(), what,
              right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      call.need(left[i] >= 0 && left[i] < a.rank() && right[i] >= 0 && right[i] < b.rank(),
                "{} dimensions {} and {} do not exist", what, left[i], right[i]);
      call.need(a.shape[left[i]] == b.shape[right[i]], "{} dimensions have {} and {} elements",
                what, a.shape[left[i]], b.shape[right[i]]);
    }
  };
  need_pairs(dot.batch_a, dot.batch_b, "batching");
  need_pairs(dot.depth_a, dot.depth_b, "contracting");
  call.need(dot.free_a.size() + dot.batch_a.size() + dot.depth_a.size() == a.shape.size() &&
                dot.free_b.size() + dot.batch_b.size() + dot.depth_b.size() == b.shape.size(),
            "a dimension is named twice");
  Type type{element_of_product(a), {}};
  for (const int64_t d : dot.batch_a) type.shape.push_back(a.shape[d]);
  for (const int64_t d : dot.free_a) type.shape.push_back(a.shape[d]);
  for (const int64_t d : dot.free_b) type.shape.push_back(b.shape[d]);
  return {type};
}

std::vector<Literal> evaluate_dot(const Call& call, std::span<const Literal> x) {
  const Dot dot(call);
  Literal result{infer_dot(call)[0], {}};
  const Element element = result.type.element;
  const Integers strides_a = row_major_strides(x[0].type.shape);
  const Integers strides_b = row_major_strides(x[1].type.shape);
  Shape depth;
  for (const int64_t d : dot.depth_a) depth.push_back(x[0].type.shape[d]);
  for_each_index(result.type.shape, [&](const Integers& index) {
    int64_t a = 0, b = 0;
    std::size_t i = 0;
    for (std::size_t d = 0; d < dot.batch_a.size(); ++d, ++i) {
      a += index[i] * strides_a[dot.batch_a[d]];
      b += index[i] * strides_b[dot.batch_b[d]];
    }
    for (const int64_t d : dot.free_a) a += index[i++] * strides_a[d];
    for (const int64_t d : dot.free_b) b += index[i++] * strides_b[d];
    double sum = 0;
    for_each_index(depth, [&](const Integers& k) {
      int64_t from_a = a, from_b = b;
      for (std::size_t d = 0; d < k.size(); ++d) {
        from_a += k[d] * strides_a[dot.depth_a[d]];
        from_b += k[d] * strides_b[dot.depth_b[d]];
      }
      sum += multiply(element, x[0].at(from_a), x[1].at(from_b));
    });
    result.values.push_back(sum);
  });
  return {result};
}

// x, whose dimension p is to become dimension places[p].
Value arranged(Value x, const Integers& places) {
  Integers permutation(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) permutation[places[p]] = static_cast<int64_t>(p);
  return std::ranges::is_sorted(permutation) ? x : transpose(x, permutation);
}

// The partner of each contracting dimension, in ascending order of `own`: a product's free
// dimensions have that order.
Integers partners(const Integers& own, const Integers& other) {
  Integers order = counting(static_cast<int64_t>(own.size())), result;
  std::ranges::sort(order, {}, [&](int64_t i) { return own[i]; });
  for (const int64_t i : order) result.push_back(other[i]);
  return result;
}

void append(Integers& to, const Integers& more) { to.insert(to.end(), more.begin(), more.end()); }

struct Factor {
  Value value;
  const Integers &batch, &summed;
};

/// Where an operand has its dimensions.
struct Operand {
  const Type& type;
  const Integers &batch, &free;
  Integers depth;
};

/// The product of the result's gradient and the other operand, as `operand` has its dimensions; of
/// the two orders of the factors, the one that has its last dimension last.
Value operand_gradient(const Factor& d, const Factor& other, const Operand& operand) {
  const bool is_depth_first = contains(operand.free, operand.type.rank() - 1);
  const Factor &left = is_depth_first ? other : d, &right = is_depth_first ? d : other;
  Integers places = operand.batch;
  append(places, is_depth_first ? operand.depth : operand.free);
  append(places, is_depth_first ? operand.free : operand.depth);
  return arranged(dot_general(left.value, right.value,
                              {.lhs_batching = left.batch,
                               .rhs_batching = right.batch,
                               .lhs_contracting = left.summed,
                               .rhs_contracting = right.summed}),
                  places);
}

void d_dot(Backward& b) {
  const Dot dot(b.call());
  const auto batches = static_cast<int64_t>(dot.batch_a.size());
  const auto rows = static_cast<int64_t>(dot.free_a.size());
  Integers d_batch = counting(batches), d_rows, d_columns;
  for (int64_t i = 0; i < rows; ++i) d_rows.push_back(batches + i);
  for (std::size_t i = 0; i < dot.free_b.size(); ++i) {
    d_columns.push_back(batches + rows + static_cast<int64_t>(i));
  }
  if (b.wants(0)) {
    b.give(0, operand_gradient({.value = b.d(), .batch = d_batch, .summed = d_columns},
                               {.value = b.operand(1), .batch = dot.batch_b, .summed = dot.free_b},
                               {.type = b.call().operands[0],
                                .batch = dot.batch_a,
                                .free = dot.free_a,
                                .depth = partners(dot.depth_b, dot.depth_a)}));
  }
  if (b.wants(1)) {
    b.give(1, operand_gradient({.value = b.d(), .batch = d_batch, .summed = d_rows},
                               {.value = b.operand(0), .batch = dot.batch_a, .summed = dot.free_a},
                               {.type = b.call().operands[1],
                                .batch = dot.batch_b,
                                .free = dot.free_b,
                                .depth = partners(dot.depth_a, dot.depth_b)}));
  }
}

// ---- convolution ----

ConvolutionDimensions dimensions_of(const Call& call) {
  try {
    return parse_convolution(call.word("dimension_numbers"));
  } catch (const std::invalid_argument& error) {
    call.fail("dimension_numbers {}: {}", call.word("dimension_numbers"), error.what());
  }
}

std::vector<Type> infer_convolution(const Call& call) {
  const ConvolutionDimensions dimensions = dimensions_of(call);
  const Type &x = call.operands[0], &w = call.operands[1];
  for (const auto name : {"batch_group_count", "feature_group_count"}) {
    call.need(call.integer(name) == 1, "{} is {}: only 1 is supported", name, call.integer(name));
  }
  call.need(x.element == w.element && x.element != Element::kPred, "the elements do not multiply");
  call.need(x.rank() == dimensions.rank() && w.rank() == dimensions.rank(),
            "{} are for operands of {} dimensions", call.word("dimension_numbers"),
            dimensions.rank());
  const int64_t features = x.shape[dimensions.input.second];
  call.need(features == w.shape[dimensions.kernel.first],
            "an input of {} features meets a kernel for {}", features,
            w.shape[dimensions.kernel.first]);
  const auto windows = convolution_windows(call, dimensions);
  Type type{element_of_product(x), Shape(dimensions.rank())};
  type.shape[dimensions.output.first] = x.shape[dimensions.input.first];
  type.shape[dimensions.output.second] = w.shape[dimensions.kernel.second];
  for (std::size_t d = 0; d < windows.size(); ++d) {
    type.shape[dimensions.output.spatial[d]] = windows[d].output;
  }
  return {type};
}

std::vector<Literal> evaluate_convolution(const Call& call, std::span<const Literal> x) {
  const ConvolutionDimensions dimensions = dimensions_of(call);
  const auto windows = convolution_windows(call, dimensions);
  Literal result{infer_convolution(call)[0], {}};
  const Element element = result.type.element;
  const Integers from_x = row_major_strides(x[0].type.shape);
  const Integers from_w = row_major_strides(x[1].type.shape);
  Shape taps;
  for (const auto& window : windows) taps.push_back(window.size);
  const int64_t features = x[1].type.shape[dimensions.kernel.first];
  for_each_index(result.type.shape, [&](const Integers& index) {
    double sum = 0;
    for_each_index(taps, [&](const Integers& tap) {
      int64_t a = index[dimensions.output.first] * from_x[dimensions.input.first];
      int64_t b = index[dimensions.output.second] * from_w[dimensions.kernel.second];
      for (std::size_t d = 0; d < taps.size(); ++d) {
        const int64_t source = windows[d].source(index[dimensions.output.spatial[d]], tap[d]);
        if (source < 0) return;
        a += source * from_x[dimensions.input.spatial[d]];
        b += tap[d] * from_w[dimensions.kernel.spatial[d]];
      }
      for (int64_t k = 0; k < features; ++k) {
        sum += multiply(element, x[0].at(a + k * from_x[dimensions.input.second]),
                        x[1].at(b + k * from_w[dimensions.kernel.first]));
      }
    });
    result.values.push_back(sum);
  });
  return {result};
}

// Both gradients are convolutions. The input's convolves the output's gradient, with holes where
// strides skipped, with the reversed kernel, its features swapped. The kernel's slides the output's
// gradient over the input as a large kernel: features act as the batch, and the batch is summed
// over.
void d_convolution(Backward& b) {
  using Layout = ConvolutionDimensions::Layout;
  const auto [input, kernel, output] = dimensions_of(b.call());
  const auto windows = convolution_windows(b.call(), dimensions_of(b.call()));
  const auto swapped = [](const Layout& layout) {
    return Layout{.first = layout.second, .second = layout.first, .spatial = layout.spatial};
  };
  const auto each = [&](auto member) {
    Integers numbers;
    for (const WindowDimension& window : windows) numbers.push_back(member(window));
    return numbers;
  };
  const auto stride = each([](const auto& w) { return w.stride; });
  const auto dilation = each([](const auto& w) { return w.dilation; });
  const auto base = each([](const auto& w) { return w.base_dilation; });
  const auto dilated = [](int64_t size, int64_t by) { return WindowDimension::dilated(size, by); };
  if (b.wants(0)) {
    const auto low = each([&](const auto& w) { return dilated(w.size, w.dilation) - 1 - w.low; });
    const auto high = each([&](const auto& w) {
      return dilated(w.input, w.base_dilation) + w.low - dilated(w.output, w.stride);
    });
    b.give(0, convolution(b.d(), reverse(b.operand(1), kernel.spatial),
                          to_string(ConvolutionDimensions{output, swapped(kernel), input}),
                          {.strides = base,
                           .low = low,
                           .high = high,
                           .base_dilation = stride,
                           .dilation = dilation}));
  }
  if (b.wants(1)) {
    const auto low = each([](const auto& w) { return w.low; });
    const auto high = each([&](const auto& w) {
      return dilated(w.size, w.dilation) - 1 + dilated(w.output, w.stride) -
             dilated(w.input, w.base_dilation) - w.low;
    });
    b.give(1, convolution(b.operand(0), b.d(),
                          to_string(ConvolutionDimensions{swapped(input), output, kernel}),
                          {.strides = dilation,
                           .low = low,
                           .high = high,
                           .base_dilation = base,
                           .dilation = stride}));
  }
}

}  // namespace

std::span<const OperationKind> product_kinds() {
  static const std::vector<OperationKind> kKinds = {
      {.name = "dot_general",
       .operands = 2,
       .attributes = {{"dot_dimension_numbers", Form::kDimensions, "dot"}},
       .infer = infer_dot,
       .evaluate = evaluate_dot,
       .gradient = d_dot},
      {.name = "convolution",
       .operands = 2,
       .attributes = {{"batch_group_count"},
                      {"dimension_numbers", Form::kConvolution},
                      {"feature_group_count"},
                      {"lhs_dilation", Form::kIntegers},
                      {"padding", Form::kPairs},
                      {"rhs_dilation", Form::kIntegers},
                      {"window_strides", Form::kIntegers}},
       .infer = infer_convolution,
       .evaluate = evaluate_convolution,
       .gradient = d_convolution},
  };
  return kKinds;
}

}  // namespace systole::graph
