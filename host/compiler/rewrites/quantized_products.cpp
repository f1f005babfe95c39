#include "host/compiler/rewrites/quantized_products.h"

#include <algorithm>
#include <map>
#include <optional>

#include "host/compiler/rewrites/rewrite.h"
#include "host/compiler/rewrites/spread_values.h"
#include "host/compiler/units/product_matches.h"
#include "host/graph/attribute.h"
#include "host/graph/convolution.h"
#include "host/graph/ops.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

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
      : graph_(graph),
        spread_(graph),
        seed_(quantization.seed),
        most_depth_(quantization.most_depth) {
    const ProductMatches found = find_products(graph, Fuses::kColumnSums);
    for (const MatrixMatch& match : found.matrices) note_sums(match.a, match.b, match.column_sums);
    for (const ImageMatch& match : found.images) note_sums(match.x, match.d_y, match.d_bias);
    for (const graph::Input& input : graph.inputs()) {
      if (input.name == "update") update_ = input.value;
    }
    for (const Operation& operation : graph.operations()) find_pieces(operation);
  }

  std::optional<Value> operator()(const Operation& operation, std::span<const Value> values) {
    values_ = values;
    if (is_product(operation)) return product(operation);
    if (const auto sum = sums_.find(operation.results[0]); sum != sums_.end()) {
      return column_sums(operation);
    }
    return {};
  }

 private:
  /// A tensor's int8 form: x = q * scale. q is its pieces, one after the other.
  struct Quantized {
    Value q, scale;
    std::vector<Value> pieces = {};
  };

  /// Of the images in a tensor, so many a piece; the last has the rest.
  struct Cut {
    std::int64_t batch = 0, images = 0;
    bool operator==(const Cut&) const = default;
  };

  void note_sums(int a, int gradient, int sums) {
    if (sums >= 0 && !is_choice(a)) sums_[sums] = gradient;
  }

  // Zeros and ones, which bf16 has exactly.
  bool is_choice(int value) const {
    const Operation* maker = graph_.maker(graph_.before_reshapes(value));
    return is(maker, "convert") && graph_.type(maker->operands[0]).element == Element::kPred;
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
      if (!found) return false;
      const std::optional<Cut> cut = cut_of(operation);
      need_depth(operation, cut ? cut->images * found->images.positions() : depth_of(*found));
      return true;
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
        depth <= most_depth_,
        "the device adds up to {} products of int8, and these are {}: choose a smaller batch",
        most_depth_, depth);
  }

  // A kernel's gradient adds up all pixels of a batch, so both its operands come in pieces of some
  // images where these are too many.
  void find_pieces(const Operation& operation) {
    if (operation.kind->name != "convolution") return;
    const auto found = graph::image_convolution(graph_, operation);
    if (!found || found->kind != graph::ImageConvolution::Kind::kKernelGradient) return;
    const std::int64_t batch = found->images.batch;
    const std::int64_t most = std::max<std::int64_t>(1, most_depth_ / found->images.positions());
    const std::int64_t pieces = ceil_div(batch, most);
    const Cut cut{.batch = batch, .images = ceil_div(batch, pieces)};
    for (const int operand : operation.operands) {
      const int base = graph_.before_reshapes(operand);
      const Operation* maker = graph_.maker(base);
      if (is(maker, "reverse") || graph_.type(base).shape[0] % batch != 0) return;
    }
    for (const int operand : operation.operands) {
      cuts_.try_emplace(graph_.before_reshapes(operand), cut);
    }
  }

  // A gradient has a scope of its own (graph::gradients).
  bool is_gradient(int value) const {
    const Operation* maker = graph_.maker(value);
    return maker != nullptr && (maker->scope == "d" || maker->scope.starts_with("d_"));
  }

  /// How both operands of a product are cut; nothing where they are not, or not alike.
  std::optional<Cut> cut_of(const Operation& operation) const {
    const auto a = cuts_.find(graph_.before_reshapes(operation.operands[0]));
    const auto b = cuts_.find(graph_.before_reshapes(operation.operands[1]));
    if (a == cuts_.end() || b == cuts_.end() || a->second != b->second) return {};
    return a->second.images < a->second.batch ? std::optional(a->second) : std::nullopt;
  }

  Value product(const Operation& operation) {
    const Quantized a = quantized(operation.operands[0]), b = quantized(operation.operands[1]);
    const auto sums = [&](Value left, Value right) {
      const Value operands[] = {left, right};
      return convert(left.graph().add(operation, operands)[0], Element::kF32);
    };
    Value all;
    if (!cut_of(operation)) {
      all = sums(a.q, b.q);
    } else {
      for (std::size_t i = 0; i < a.pieces.size(); ++i) {
        const Value some = sums(a.pieces[i], b.pieces[i]);
        all = all ? all + some : some;
      }
    }
    return all * (a.scale * b.scale);
  }

  Value column_sums(const Operation& reduce) {
    const Quantized gradient = quantized(reduce.operands[0]);
    const auto& dimensions = graph::attribute<graph::Integers>(reduce, "dimensions");
    const auto sums = [&](Value q) {
      return convert(sum(convert(q, Element::kS32), dimensions), Element::kF32);
    };
    if (gradient.pieces.empty()) return sums(gradient.q) * gradient.scale;
    Value all;
    for (const Value piece : gradient.pieces) all = all ? all + sums(piece) : sums(piece);
    return all * gradient.scale;
  }

  // Where elements lie changes no scale, so products find the operand behind it.
  const Quantized& quantized(int value) {
    if (const auto known = quantized_.find(value); known != quantized_.end()) return known->second;
    const Operation* maker = graph_.maker(value);
    const std::string_view name = maker == nullptr ? "" : maker->kind->name;
    Quantized result;
    if (name == "reshape") {
      const Quantized& from = quantized(maker->operands[0]);
      result = {.q = reshape(from.q, graph_.type(value).shape), .scale = from.scale};
      for (const Value piece : from.pieces) {
        result.pieces.push_back(reshaped_piece(piece, graph_.type(value).shape));
      }
    } else if (name == "reverse") {
      const Quantized& from = quantized(maker->operands[0]);
      result = {.q = from.q.graph().add(*maker, std::span(&from.q, 1))[0], .scale = from.scale};
    } else {
      const auto found = cuts_.find(value);
      const Cut cut = found == cuts_.end() ? Cut{} : found->second;
      const int spread = cut.images == cut.batch ? spread_.of(value) : value;
      result = spread != value ? quantize_spread(value, spread)
                               : quantize(values_[value], is_gradient(value), cut);
    }
    return quantized_.emplace(value, result).first->second;
  }

  // All of `spread` is somewhere in the value, with zeros around it, which int8 has as zeros: it is
  // converted where it is smaller.
  Quantized quantize_spread(int value, int spread) {
    const Scale scale = scale_of(values_[spread]);
    const Value number = is_gradient(value) ? this->number() : Value();
    const Value steps = convert(rounded(values_[spread], scale, number), Element::kS32);
    return {.q = spread_.rewritten(value, spread, steps, values_), .scale = scale.scale};
  }

  // Of a tensor of this shape; as it is where it is not whole rows.
  static Value reshaped_piece(Value piece, graph::Shape shape) {
    const std::int64_t row = graph::element_count(shape) / shape[0];
    const std::int64_t elements = graph::element_count(piece.shape());
    if (elements % row != 0) return piece;
    shape[0] = elements / row;
    return reshape(piece, shape);
  }

  struct Scale {
    Value scale, inverse;
  };
  static Scale scale_of(Value x) {
    const Value largest = max(abs(x), graph::counting(x.type().rank()));
    return {.scale = largest * (1 / kLargest),
            .inverse = select(compare(largest, "GE", kSmallestMagnitude), kLargest / largest,
                              graph::constant_like(largest, 0))};
  }
  /// By a random number, if there is one.
  static Value rounded(Value x, const Scale& scale, Value number) {
    Value steps = x * scale.inverse + 0.5;
    if (number) steps = random(x, number) + steps;
    return x.graph().add("floor", {steps});
  }

  Quantized quantize(Value x, bool is_gradient, const Cut& cut) {
    const Scale scale = scale_of(x);
    const Value number = is_gradient ? this->number() : Value();
    const auto converted = [&](Value some) {
      return convert(rounded(some, scale, number), Element::kS8);
    };
    Quantized result{.q = {}, .scale = scale.scale};
    if (cut.images == cut.batch) {
      result.q = converted(x);
      return result;
    }
    // In long rows, so that words are full.
    const Value flat = reshape(x, long_rows(x.shape()));
    const graph::Shape& shape = flat.shape();
    const std::int64_t most = shape[0] / cut.batch * cut.images;
    for (std::int64_t row = 0; row < shape[0]; row += most) {
      const Value piece = slice(flat, {row, 0}, {std::min(row + most, shape[0]), shape[1]});
      result.pieces.push_back(converted(piece));
    }
    result.q = reshape(concatenate(result.pieces, 0), x.shape());
    for (Value& piece : result.pieces) piece = reshaped_piece(piece, x.shape());
    return result;
  }

  // The first dimension's rows, or parts of them, as a stream takes them.
  static graph::Shape long_rows(const graph::Shape& shape) {
    constexpr std::int64_t kMost = 1 << 14;
    std::int64_t cols = 1;
    std::size_t last = shape.size();
    while (last > 1 && cols * shape[last - 1] <= kMost) cols *= shape[--last];
    return {graph::element_count(shape) / cols, cols};
  }

  /// In -1/2 .. 1/2, from each element's own bits.
  static Value random(Value x, Value number) {
    const Value hash = mixed(bits_xor(bits_as(x, Element::kU32), number));
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
  const SpreadValues spread_;
  std::uint64_t seed_;
  std::int64_t most_depth_;
  std::uint32_t tensors_ = 0;
  int update_ = -1;
  std::map<int, int> sums_;  ///< gradients, by their sums over rows
  std::map<int, Cut> cuts_;  ///< of operands before reshapes
  std::span<const Value> values_;
  std::map<int, Quantized> quantized_;
};

}  // namespace

std::unique_ptr<Graph> quantize_products(const Graph& graph, const Quantization& quantization) {
  Quantizer quantizer(graph, quantization);
  return rewrite(graph, std::ref(quantizer));
}

}  // namespace systole::lowering
