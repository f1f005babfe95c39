#include "host/lowering/quantized_products.h"

#include <algorithm>
#include <map>
#include <optional>

#include "host/graph/ops.h"
#include "host/lowering/product_matches.h"
#include "host/lowering/rewrite.h"

namespace systole::lowering {
namespace {

using graph::Element;
using graph::Graph;
using graph::Operation;
using graph::Value;

constexpr double kLargest = 127, kSmallestMagnitude = 0x1p-100;

Value bits_xor(Value a, Value b) {
  return a.graph().add("xor", {a, graph::broadcast_to(b, a.shape())});
}
Value shift_right(Value x, int by) {
  const Value count = graph::broadcast_to(graph::constant_like(x, by), x.shape());
  return x.graph().add("shift_right_logical", {x, count});
}
Value bits_as(Value x, Element element) {
  return x.graph().add("bitcast_convert", {x}, {graph::Type{element, x.shape()}});
}

/// A hash of ui32 whose bits all depend on all of x's.
Value mixed(Value x) {
  constexpr double kFirst = 0x7feb352d, kSecond = 0x846ca68b;
  x = x * kFirst;
  return bits_xor(x, shift_right(x, 15)) * kSecond;
}

class Quantizer {
 public:
  Quantizer(const Graph& graph, const Quantization& quantization)
      : graph_(graph), seed_(quantization.seed) {
    const ProductMatches found = find_products(graph, {.fuses = false, .is_whole_step = true});
    for (const MatrixMatch& match : found.matrices) note_sums(match.a, match.b, match.column_sums);
    for (const ImageMatch& match : found.images) note_sums(match.x, match.d_y, match.d_bias);
    for (const graph::Input& input : graph.inputs()) {
      if (input.name == "update") update_ = input.value;
    }
  }

  std::optional<Value> rewritten(const Operation& operation, std::span<const Value> values) {
    values_ = values;
    if (is_product(operation)) return product(operation);
    if (const auto sum = sums_.find(operation.results[0]); sum != sums_.end()) {
      return column_sums(operation);
    }
    return {};
  }

 private:
  /// A tensor's int8 form: x = q * scale.
  struct Quantized {
    Value q, scale;
  };

  void note_sums(int a, int gradient, int sums) {
    if (sums >= 0 && !is_choice(a)) sums_[sums] = gradient;
  }

  // Zeros and ones, which bf16 has exactly.
  bool is_choice(int value) const {
    const Operation* maker = graph_.maker(graph_.before_reshapes(value));
    return maker != nullptr && maker->kind->name == "convert" &&
           graph_.type(maker->operands[0]).element == Element::kPred;
  }

  bool is_product(const Operation& operation) const {
    const std::string_view name = operation.kind->name;
    if ((name != "dot_general" && name != "convolution") ||
        graph_.type(operation.operands[0]).element != Element::kF32 ||
        std::ranges::any_of(operation.operands, [&](int operand) { return is_choice(operand); })) {
      return false;
    }
    if (name == "convolution") {
      const auto found = graph::image_convolution(graph_, operation);
      if (found) need_depth(operation, depth_of(*found));
      return found.has_value();
    }
    const auto form = graph::dot_form(graph_, operation);
    if (!form || form->batch != 1) return false;
    need_depth(operation, form->depth);
    return true;
  }

  static std::int64_t depth_of(const graph::ImageConvolution& found) {
    using Kind = graph::ImageConvolution::Kind;
    const graph::Images& images = found.images;
    return found.kind == Kind::kForward          ? images.patch()
           : found.kind == Kind::kKernelGradient ? images.batch * images.positions()
                                                 : images.y.size * images.x.size * found.filters;
  }

  void need_depth(const Operation& operation, std::int64_t depth) const {
    graph_.call(operation).need(
        depth <= kMostQuantizedDepth,
        "the device adds up to {} products of int8, and these are {}: choose a smaller batch",
        kMostQuantizedDepth, depth);
  }

  // A gradient has a scope of its own (graph::gradients).
  bool is_gradient(int value) const {
    const Operation* maker = graph_.maker(value);
    return maker != nullptr && (maker->scope == "d" || maker->scope.starts_with("d_"));
  }

  Value product(const Operation& operation) {
    const Quantized a = quantized(operation.operands[0]), b = quantized(operation.operands[1]);
    const Value operands[] = {a.q, b.q};
    const Value sums = a.q.graph().add(operation, operands)[0];
    return convert(sums, Element::kF32) * (a.scale * b.scale);
  }

  Value column_sums(const Operation& reduce) {
    const Quantized gradient = quantized(reduce.operands[0]);
    const Value integers = convert(gradient.q, Element::kS32);
    const auto& dimensions = std::get<graph::Integers>(reduce.attributes[0]);
    return convert(sum(integers, dimensions), Element::kF32) * gradient.scale;
  }

  // Where elements lie changes no scale, so products find the operand behind it.
  const Quantized& quantized(int value) {
    if (const auto known = quantized_.find(value); known != quantized_.end()) return known->second;
    const Operation* maker = graph_.maker(value);
    const std::string_view name = maker == nullptr ? "" : maker->kind->name;
    Quantized result;
    if (name == "reshape" || name == "reverse") {
      const Quantized& from = quantized(maker->operands[0]);
      result = {.q = name == "reshape" ? reshape(from.q, graph_.type(value).shape)
                                       : from.q.graph().add(*maker, std::span(&from.q, 1))[0],
                .scale = from.scale};
    } else {
      result = quantize(values_[value], is_gradient(value));
    }
    return quantized_.emplace(value, result).first->second;
  }

  Quantized quantize(Value x, bool is_gradient) {
    const Value largest = max(abs(x), graph::counting(x.type().rank()));
    const Value inverse = select(compare(largest, "GE", kSmallestMagnitude), kLargest / largest,
                                 graph::constant_like(largest, 0));
    Value steps = x * inverse + 0.5;
    if (is_gradient) steps = random(x) + steps;
    return {.q = convert(x.graph().add("floor", {steps}), Element::kS8),
            .scale = largest * (1 / kLargest)};
  }

  /// In -1/2 .. 1/2, from each element's own bits.
  Value random(Value x) {
    const Value hash = mixed(bits_xor(bits_as(x, Element::kU32), number()));
    return convert(bits_as(hash, Element::kS32), Element::kF32) * 0x1p-32;
  }

  /// Another one for each tensor and step, which the host has in the table.
  Value number() {
    if (update_ < 0) {
      throw graph::GraphError(
          "gradients in int8 are rounded by the number of the step, which is "
          "an input named update: the graph has none");
    }
    constexpr double kStep = 0x9e3779b9;
    const auto tensor =
        static_cast<std::uint32_t>((seed_ ^ seed_ >> 32U) * 0x85ebca6bU + ++tensors_ * 0xc2b2ae35U);
    const Value update = convert(values_[update_], Element::kU32);
    const Value first = mixed(update * kStep + static_cast<double>(tensor));
    return bits_xor(first, shift_right(first, 16));
  }

  const Graph& graph_;
  std::uint64_t seed_;
  std::uint32_t tensors_ = 0;
  int update_ = -1;
  std::map<int, int> sums_;  ///< gradients, by their sums over rows
  std::span<const Value> values_;
  std::map<int, Quantized> quantized_;
};

}  // namespace

std::unique_ptr<Graph> quantize_products(const Graph& graph, const Quantization& quantization) {
  Quantizer quantizer(graph, quantization);
  return rewrite(graph, [&](const Operation& operation, std::span<const Value> values) {
    return quantizer.rewritten(operation, values);
  });
}

}  // namespace systole::lowering
