#include "host/compiler/units/product_matches.h"

#include <algorithm>
#include <set>

namespace systole::lowering {
namespace {

using graph::Graph;
using graph::Integers;
using graph::Operation;

class Matcher {
 public:
  Matcher(const Graph& graph, Fuses fuses)
      : graph_(graph),
        fuses_(fuses == Fuses::kAll),
        base_(graph.value_count()),
        uses_(graph.value_count()),
        base_uses_(graph.value_count()),
        is_output_(graph.value_count()) {
    for (int value = 0; value < static_cast<int>(graph.value_count()); ++value) {
      base_[value] = graph.before_reshapes(value);
    }
    for (std::size_t i = 0; i < graph.operations().size(); ++i) {
      for (const int operand : graph.operations()[i].operands) {
        uses_[operand].push_back(static_cast<int>(i));
        if (is(&graph.operations()[i], "reshape")) continue;
        base_uses_[base(operand)].push_back(static_cast<int>(i));
      }
    }
    for (const graph::Output& output : graph.outputs()) is_output_[base(output.value)] = true;
  }

  ProductMatches run() {
    for (std::size_t i = 0; i < graph_.operations().size(); ++i) {
      const Operation& op = graph_.operations()[i];
      if (!multiplies(op) || is_empty(op)) continue;
      if (const auto form = graph::dot_form(graph_, op)) {
        add_matrix(op, *form);
      } else if (const auto found = graph::image_convolution(graph_, op)) {
        add_images(op, *found);
      }
    }
    for (MatrixMatch& match : found_.matrices) {
      if (match.form.batch == 1) match.column_sums = column_sums(match.b, match.form.cols);
    }
    for (ImageMatch& match : found_.images) {
      if (match.d_w >= 0) match.d_bias = column_sums(match.d_y, match.filters);
    }
    return std::move(found_);
  }

 private:
  const Operation& operation(int index) const { return graph_.operations()[index]; }
  static bool is(const Operation* op, std::string_view name) {
    return op != nullptr && op->kind->name == name;
  }
  int base(int value) const { return base_[value]; }
  // Whether the device has a product of these elements.
  bool multiplies(const Operation& op) const {
    if (op.operands.empty()) return false;
    const graph::Element element = graph_.type(op.operands[0]).element;
    return element == graph::Element::kF32 || element == graph::Element::kS8;
  }
  bool is_empty(const Operation& op) const {
    const auto has_none = [&](int value) {
      return graph::element_count(graph_.type(value).shape) == 0;
    };
    return std::ranges::any_of(op.operands, has_none) || has_none(op.results[0]);
  }
  DataType type_of(const Operation& op) const {
    const bool is_int8 = graph_.type(op.operands[0]).element == graph::Element::kS8;
    return is_int8 ? DataType::kInt8 : DataType::kBf16;
  }
  const Operation* only_use(int value) const {
    const auto& uses = uses_[value];
    return is_output_[base(value)] || uses.size() != 1 ? nullptr : &operation(uses[0]);
  }
  // Whether the values are computed before the operation that makes `result`.
  bool are_before(std::initializer_list<int> values, int result) const {
    return std::ranges::all_of(
        values, [&](int value) { return graph_.producer(value) < graph_.producer(result); });
  }

  void add_matrix(const Operation& op, const graph::DotForm& form) {
    MatrixMatch match{.form = form,
                      .type = type_of(op),
                      .a = base(op.operands[0]),
                      .b = base(op.operands[1]),
                      .result = op.results[0]};
    fuse_bias_and_relu(match.result, match.bias, match.relu, form.cols);
    if (match.bias < 0 && !match.relu) fuse_mask(match.result, match.mask);
    found_.matrices.push_back(match);
  }

  void fuse_bias_and_relu(int& result, int& bias, bool& relu, std::int64_t cols) {
    if (!fuses_) return;
    if (const Operation* sum = only_use(result); is(sum, "add")) {
      const int other = sum->operands[sum->operands[0] == result ? 1 : 0];
      const Operation* repeat = graph_.maker(other);
      const std::int64_t last = graph_.type(result).rank() - 1;
      if (is(repeat, "broadcast_in_dim") &&
          std::get<Integers>(repeat->attributes[0]) == Integers{last} &&
          graph_.type(repeat->operands[0]).shape == graph::Shape{cols}) {
        bias = base(repeat->operands[0]);
        result = sum->results[0];
      }
    }
    if (const Operation* op = only_use(result);
        is(op, "maximum") && graph_.splat(op->operands[1]) == 0) {
      relu = true;
      result = op->results[0];
      rectified_.insert(result);
    }
  }

  // The gradient of a product with a ReLU: 0 where the ReLU's result was 0.
  void fuse_mask(int& result, int& mask) {
    if (!fuses_) return;
    int last = result;
    const Operation* op = only_use(last);
    for (; is(op, "reshape"); op = only_use(last)) last = op->results[0];
    if (!is(op, "select") || op->operands[1] != last || graph_.splat(op->operands[2]) != 0) return;
    const Operation* compare = graph_.maker(op->operands[0]);
    if (!is(compare, "compare") || std::get<std::string>(compare->attributes[0]) != "GT" ||
        !is_rectified(compare->operands[0]) || graph_.splat(compare->operands[1]) != 0) {
      return;
    }
    mask = base(compare->operands[0]);
    result = op->results[0];
  }
  // A ReLU's result, or the largest of several.
  bool is_rectified(int value) const {
    if (rectified_.contains(base(value))) return true;
    const Operation* op = graph_.maker(base(value));
    if (is(op, "maximum") && graph_.splat(op->operands[1]) == 0) return true;
    return (is(op, "slice") || is(op, "maximum")) &&
           std::ranges::all_of(op->operands, [&](int operand) { return is_rectified(operand); });
  }

  void add_images(const Operation& op, const graph::ImageConvolution& found) {
    using Kind = graph::ImageConvolution::Kind;
    const int left = base(op.operands[0]), right = base(found.right), result = op.results[0];
    ImageMatch match{.images = found.images, .type = type_of(op), .filters = found.filters};
    if (found.kind == Kind::kForward) {
      match.x = left;
      match.w = right;
      match.y = result;
      fuse_bias_and_relu(match.y, match.bias, match.relu, found.filters);
      found_.images.push_back(match);
      return;
    }
    const bool by_kernel = found.kind == Kind::kKernelGradient;
    match.d_y = by_kernel ? right : left;
    if (!by_kernel) {
      match.w = right;
      match.d_x = result;
      fuse_mask(match.d_x, match.mask);
      found_.images.push_back(match);
      return;
    }
    match.x = left;
    match.d_w = result;
    // Joins the input's gradient of the same convolution, with which it shares dY.
    const auto other = std::ranges::find_if(found_.images, [&](const ImageMatch& image) {
      return image.d_x >= 0 && image.d_w < 0 && image.d_y == match.d_y &&
             image.images == match.images && are_before({match.x}, image.d_x);
    });
    if (other == found_.images.end()) {
      found_.images.push_back(match);
      return;
    }
    other->x = match.x;
    other->d_w = match.d_w;
  }

  // Sums over all but a gradient's last dimension. Those of int8 are sums of it in int32.
  int column_sums(int gradient, std::int64_t cols) {
    for (const int index : base_uses_[gradient]) {
      const Operation& op = operation(index);
      if (is(&op, "convert") && graph_.type(gradient).element == graph::Element::kS8) {
        const int sums = column_sums(base(op.results[0]), cols);
        if (sums >= 0) return sums;
      }
      const auto rest = graph_.type(op.operands[0]).rank() - 1;
      if (is(&op, "reduce") && std::get<std::string>(op.attributes[1]) == "add" &&
          graph_.splat(op.operands[1]) == 0 &&
          std::get<Integers>(op.attributes[0]) == graph::counting(rest) &&
          graph_.type(op.results[0]).shape == graph::Shape{cols} && summed_.insert(index).second) {
        return op.results[0];
      }
    }
    return -1;
  }

  const Graph& graph_;
  bool fuses_;
  std::vector<int> base_;
  std::vector<std::vector<int>> uses_, base_uses_;  // by value: the operations that read it
  std::vector<bool> is_output_;                     // by base
  std::set<int> summed_, rectified_;
  ProductMatches found_;
};

}  // namespace

ProductMatches find_products(const Graph& graph, Fuses fuses) {
  return Matcher(graph, fuses).run();
}

}  // namespace systole::lowering
