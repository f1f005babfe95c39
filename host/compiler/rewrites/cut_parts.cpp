#include "host/compiler/rewrites/cut_parts.h"

#include <algorithm>
#include <optional>
#include <set>

#include "host/compiler/kernels/element_operations.h"
#include "host/compiler/rewrites/rewrite.h"
#include "host/graph/attribute.h"
#include "host/graph/cores.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

/// A part of a tensor: from `first` to before `end`, in each dimension.
struct Box {
  Integers first, end;

  Shape shape() const {
    Shape shape = end;
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] -= first[d];
    return shape;
  }
};

bool is_plain_slice(const Graph& graph, const Operation& operation) {
  return operation.kind->name == "slice" &&
         std::ranges::all_of(graph.call(operation).integers("strides"),
                             [](std::int64_t stride) { return stride == 1; });
}

/// Whether a reduction combines whole tensors, one for each index of the first dimension.
bool reduces_tensors(const Graph& graph, const Operation& operation) {
  if (operation.kind->name != "reduce") return false;
  const graph::Call call = graph.call(operation);
  const std::string& body = call.word("body");
  return call.operands[0].rank() > 2 && call.integers("dimensions") == Integers{0} &&
         graph.splat(operation.operands[1]) &&
         (body == "add" || body == "maximum" || body == "minimum");
}

/// Whether a reshape only adds or removes dimensions of one.
bool keeps_sizes(const Shape& a, const Shape& b) {
  const auto is_more = [](std::int64_t size) { return size != 1; };
  Shape left, right;
  std::ranges::copy_if(a, std::back_inserter(left), is_more);
  std::ranges::copy_if(b, std::back_inserter(right), is_more);
  return left == right;
}

class Cutter {
 public:
  explicit Cutter(const Graph& graph) : graph_(graph), is_cut_(graph.value_count(), true) {
    for (const graph::Output& output : graph.outputs()) is_cut_[output.value] = false;
    for (std::size_t i = graph.operations().size(); i-- > 0;) {
      const Operation& operation = graph.operations()[i];
      const bool cuts = is_plain_slice(graph, operation) || reduces_tensors(graph, operation);
      const bool passes = operation.kind->name == "reshape" && is_cut_[operation.results[0]] &&
                          keeps_sizes(graph.type(operation.operands[0]).shape,
                                      graph.type(operation.results[0]).shape);
      if (cuts || passes) continue;
      for (const int operand : operation.operands) is_cut_[operand] = false;
    }
  }

  std::optional<Value> operator()(const Operation& operation, std::span<const Value> values) {
    values_ = values;
    if (is_plain_slice(graph_, operation)) {
      const graph::Call call = graph_.call(operation);
      return part(operation.operands[0],
                  {call.integers("start_indices"), call.integers("limit_indices")});
    }
    if (reduces_tensors(graph_, operation)) return combined(operation);
    if (operation.kind->name == "concatenate") return joined_columns(operation);
    return {};
  }

 private:
  Value part(int value, const Box& box) {
    const Shape shape = box.shape();
    if (shape == graph_.type(value).shape) return values_[value];
    if (graph_.splat(value)) return broadcast_to(scalar(value), shape);
    const Operation* operation = graph_.maker(value);
    if (operation == nullptr) return slice(values_[value], box.first, box.end);
    if (const auto moved = moved_part(*operation, box)) return *moved;
    if (is_elementwise(*operation->kind) && (is_cut_[value] || is_cheap(*operation)) &&
        !adds_bias(*operation)) {
      return computed_part(*operation, box);
    }
    return slice(values_[value], box.first, box.end);
  }

  std::optional<Value> moved_part(const Operation& operation, const Box& box) {
    const std::string_view name = operation.kind->name;
    const int from = operation.operands.empty() ? -1 : operation.operands[0];
    const graph::Call call = graph_.call(operation);
    if (name == "reshape") {
      const auto inner = reshaped(box, call.operands[0].shape, graph_.type(operation.results[0]));
      if (inner) return reshape(part(from, *inner), box.shape());
    }
    if (is_plain_slice(graph_, operation)) {
      Box inner = box;
      for (std::size_t d = 0; d < box.first.size(); ++d) {
        inner.first[d] += call.integers("start_indices")[d];
        inner.end[d] += call.integers("start_indices")[d];
      }
      return part(from, inner);
    }
    if (name == "broadcast_in_dim") return broadcast_part(call, from, box);
    if (name == "pad") return padded_part(operation, box);
    if (name == "concatenate") return joined_part(operation, box);
    return {};
  }

  static std::optional<Box> reshaped(const Box& box, const Shape& to, const graph::Type& from) {
    if (!keeps_sizes(to, from.shape)) return {};
    Box inner{Integers(to.size(), 0), Integers(to.size(), 1)};
    std::size_t d = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] == 1) continue;
      while (from.shape[d] == 1) ++d;
      inner.first[i] = box.first[d];
      inner.end[i] = box.end[d++];
    }
    return inner;
  }

  Value broadcast_part(const graph::Call& call, int from, const Box& box) {
    const Shape& shape = call.operands[0].shape;
    const Integers& dimensions = call.integers("broadcast_dimensions");
    Box inner{Integers(shape.size(), 0), shape};
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto d = static_cast<std::size_t>(dimensions[i]);
      if (shape[i] == 1) continue;
      inner.first[i] = box.first[d];
      inner.end[i] = box.end[d];
    }
    return broadcast_in_dim(part(from, inner), box.shape(), dimensions);
  }

  // All of it is the operand's, or none.
  std::optional<Value> padded_part(const Operation& pad, const Box& box) {
    const graph::Call call = graph_.call(pad);
    const Integers &low = call.integers("edge_padding_low"),
                   &high = call.integers("edge_padding_high"),
                   &interior = call.integers("interior_padding");
    Box inner = box;
    bool is_inside = true, is_outside = false;
    for (std::size_t d = 0; d < low.size(); ++d) {
      if (low[d] < 0 || high[d] < 0 || interior[d] != 0) return {};
      const std::int64_t end = low[d] + call.operands[0].shape[d];
      is_inside = is_inside && box.first[d] >= low[d] && box.end[d] <= end;
      is_outside = is_outside || box.end[d] <= low[d] || box.first[d] >= end;
      inner.first[d] -= low[d];
      inner.end[d] -= low[d];
    }
    if (is_inside) return part(pad.operands[0], inner);
    if (is_outside && graph_.splat(pad.operands[1])) {
      return broadcast_to(values_[pad.operands[1]], box.shape());
    }
    return {};
  }

  std::optional<Value> joined_part(const Operation& join, const Box& box) {
    const auto d = static_cast<std::size_t>(graph::attribute<std::int64_t>(join, "dimension"));
    Box inner = box;
    for (const int operand : join.operands) {
      const std::int64_t size = graph_.type(operand).shape[d];
      if (inner.first[d] >= 0 && inner.end[d] <= size) return part(operand, inner);
      inner.first[d] -= size;
      inner.end[d] -= size;
    }
    return {};
  }

  Value computed_part(const Operation& operation, const Box& box) {
    const Shape& whole = graph_.type(operation.results[0]).shape;
    std::vector<Value> operands;
    for (const int operand : operation.operands) {
      operands.push_back(graph_.type(operand).shape == whole ? part(operand, box)
                                                             : values_[operand]);
    }
    Operation one = operation;
    for (graph::Attribute& attribute : one.attributes) {
      if (auto* type = std::get_if<graph::Type>(&attribute)) type->shape = box.shape();
    }
    return operands[0].graph().add(one, operands)[0];
  }

  // Of numbers that are there anyway.
  bool is_cheap(const Operation& operation) const {
    return std::ranges::all_of(operation.operands, [&](int operand) {
      return graph_.producer(operand) < 0 || graph_.splat(operand);
    });
  }

  // A product adds its bias itself.
  bool adds_bias(const Operation& operation) const {
    if (operation.kind->name != "add") return false;
    const Operation *a = graph_.maker(operation.operands[0]),
                    *b = graph_.maker(operation.operands[1]);
    return (is(a, "dot_general") && is(b, "broadcast_in_dim")) ||
           (is(b, "dot_general") && is(a, "broadcast_in_dim"));
  }

  Value scalar(int value) const {
    const Value whole = values_[value];
    return constant(whole.graph(), {whole.type().element, {}}, *graph_.splat(value));
  }

  Value combined(const Operation& reduce) {
    const int from = reduce.operands[0];
    const Shape& shape = graph_.type(from).shape;
    const std::string& body = graph_.call(reduce).word("body");
    std::vector<Value> parts;
    for (std::int64_t i = 0; i < shape[0]; ++i) {
      Box box{Integers(shape.size(), 0), shape};
      box.first[0] = i;
      box.end[0] = i + 1;
      parts.push_back(reshape(part(from, box), graph_.type(reduce.results[0]).shape));
    }
    const Value all =
        combined_in_pairs(std::move(parts), [&](Value a, Value b) { return both(body, a, b); });
    const bool is_neutral = (body == "add" && graph_.splat(reduce.operands[1]) == 0) ||
                            (body == "maximum" && *graph_.splat(reduce.operands[1]) < -3e38) ||
                            (body == "minimum" && *graph_.splat(reduce.operands[1]) > 3e38);
    return is_neutral ? all
                      : both(body, all, broadcast_to(values_[reduce.operands[1]], all.shape()));
  }
  static Value both(std::string_view body, Value a, Value b) {
    if (body == "add") return a + b;
    return body == "maximum" ? maximum(a, b) : graph::minimum(a, b);
  }

  std::optional<Value> joined_columns(const Operation& join) const {
    const auto dimension = graph::attribute<std::int64_t>(join, "dimension");
    const Shape& shape = graph_.type(join.results[0]).shape;
    if (dimension == 0 || dimension + 1 != std::ssize(shape)) return {};
    std::vector<Value> parts;
    for (const int operand : join.operands) {
      const std::int64_t cols = graph_.type(operand).shape.back();
      if (cols != graph_.type(join.operands[0]).shape.back()) return {};
      parts.push_back(reshape(values_[operand],
                              {graph::element_count(graph_.type(operand).shape) / cols, 1, cols}));
    }
    return reshape(concatenate(parts, 1), shape);
  }

  const Graph& graph_;
  std::vector<bool> is_cut_;  ///< by value: only parts of it are used
  std::span<const Value> values_;
};

}  // namespace

std::unique_ptr<Graph> cut_parts(const Graph& graph) {
  Cutter cutter(graph);
  return rewrite(graph, std::ref(cutter));
}

bool joins_tensors(const Graph& graph, const Operation& operation) {
  return operation.kind->name == "concatenate" &&
         graph::attribute<std::int64_t>(operation, "dimension") == 0 &&
         graph.type(operation.results[0]).rank() > 1;
}

std::vector<bool> find_numbers(const Graph& graph) {
  std::vector<bool> is_number(graph.value_count());
  for (const graph::Input& input : graph.inputs()) {
    is_number[input.value] = graph.type(input.value).rank() == 0 && input.updated_by < 0;
  }
  for (const Operation& operation : graph.operations()) {
    const bool follows =
        graph::cores_of(operation) == 1 &&
        std::ranges::all_of(operation.operands, [&](int operand) { return is_number[operand]; });
    for (const int result : operation.results) is_number[result] = follows;
  }
  return is_number;
}

std::unique_ptr<Graph> separate_parts(const Graph& graph) {
  std::set<int> placed;
  const std::vector<bool> is_number = find_numbers(graph);
  return rewrite(
      graph,
      [&](const Operation& operation, std::span<const Value> values) -> std::optional<Value> {
        if (!joins_tensors(graph, operation)) return {};
        std::vector<Value> parts;
        for (const int operand : operation.operands) {
          const int base = graph.before_reshapes(operand);
          const Operation* maker = graph.maker(base);
          const bool is_made = maker != nullptr && !is_number[base] &&
                               maker->kind->name != "slice" && !joins_tensors(graph, *maker);
          const Value part = values[operand];
          const bool is_free = is_made && placed.insert(base).second;
          parts.push_back(
              is_free ? part
                      : broadcast_in_dim(part, part.shape(), graph::counting(part.type().rank())));
        }
        return concatenate(parts, 0);
      },
      Simplifies::kNo);
}

}  // namespace systole::lowering
