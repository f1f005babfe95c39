#include "host/compiler/rewrites/wide_convolutions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "host/compiler/kernels/element_operations.h"
#include "host/compiler/kernels/wide_kernels.h"
#include "host/compiler/rewrites/rewrite.h"
#include "host/compiler/rewrites/split_windows.h"
#include "host/compiler/rewrites/wide_costs.h"
#include "host/cpu/images.h"
#include "host/graph/attribute.h"
#include "host/graph/ops.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

using graph::ImageConvolution;
using graph::WindowDimension;
using Kind = ImageConvolution::Kind;

constexpr std::string_view kForward = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                           kInput = "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
                           kKernel = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]";

/// A convolution and its gradients.
struct Layer {
  graph::Images images;
  std::int64_t filters = 0;
  int x = -1, w = -1;      ///< before reshapes
  int y = -1;              ///< as the convolution makes it
  std::set<int> d_y = {};  ///< what its gradients read
  bool has_kernel_gradient = false, has_input_gradient = false;
  std::set<int> wide = {};                     ///< what lies as y does: y, d_y and what is between
  std::int64_t window = 1, window_height = 1;  ///< of the pooling that reads it
  bool needs_plain = true;                     ///< somebody reads y or d_y pixel by pixel
  WidePixels pixels = {};
  WindowDimension wide_x = {};  ///< along wide pixels
};

class Widener {
 public:
  Widener(const Graph& graph, const DeviceSizes& sizes) : graph_(graph), sizes_(sizes) {
    find_layers();
    for (Layer& layer : layers_) {
      find_wide(layer);
      choose(layer);
    }
    std::erase_if(layers_, [](const Layer& layer) { return layer.pixels.pixels == 1; });
    for (const Layer& layer : layers_) {
      for (const int value : layer.wide) layer_of_[value] = &layer;
    }
  }

  bool any() const { return !layers_.empty(); }

  std::optional<Value> operator()(const Operation& operation, std::span<const Value> values) {
    values_ = values;
    const int result = operation.results[0];
    if (operation.kind->name == "convolution") return convolved(operation);
    const Layer* layer = layer_of(result);
    if (layer == nullptr) return pooled(operation);
    return is(&operation, "select_and_scatter") ? scattered(*layer, operation)
                                                : elements(*layer, operation);
  }

 private:
  int base(int value) const { return graph_.before_reshapes(value); }
  const Shape& shape(int value) const { return graph_.type(value).shape; }

  // ---- Which convolutions, and what lies as their results do ----

  void find_layers() {
    std::vector<std::pair<const Operation*, ImageConvolution>> all;
    for (const Operation& operation : graph_.operations()) {
      if (operation.kind->name != "convolution" ||
          graph_.type(operation.operands[0]).element != graph::Element::kF32) {
        continue;
      }
      if (auto found = graph::image_convolution(graph_, operation))
        all.emplace_back(&operation, *found);
    }
    for (const auto& [operation, found] : all) {
      if (found.kind != Kind::kForward || !may_widen(found.images)) continue;
      layers_.push_back({.images = found.images,
                         .filters = found.filters,
                         .x = base(found.left),
                         .w = base(found.right),
                         .y = operation->results[0]});
    }
    // Of layers that share a kernel or images, nobody says whose gradient is whose.
    for (const auto& [operation, found] : all) {
      const auto layers = layers_like(found);
      if (found.kind == Kind::kForward || layers.size() < 2) continue;
      for (Layer* layer : layers) layer->y = -1;
    }
    std::erase_if(layers_, [](const Layer& layer) { return layer.y < 0; });
    for (const auto& [operation, found] : all) {
      const auto layers = layers_like(found);
      if (found.kind == Kind::kForward || layers.empty()) continue;
      Layer& layer = *layers[0];
      layer.d_y.insert(gradient_of_result(found));
      const bool is_kernels = found.kind == Kind::kKernelGradient;
      (is_kernels ? layer.has_kernel_gradient : layer.has_input_gradient) = true;
    }
  }
  static int gradient_of_result(const ImageConvolution& found) {
    return found.kind == Kind::kKernelGradient ? found.right : found.left;
  }

  static bool may_widen(const graph::Images& images) {
    const auto is_plain = [](const WindowDimension& one) {
      return one.stride == 1 && one.dilation == 1 && one.base_dilation == 1 && one.low >= 0 &&
             one.high >= 0 && one.low < one.size && one.high < one.size;
    };
    return is_plain(images.y) && is_plain(images.x) && images.batch > 0;
  }

  /// The layers whose convolution or gradient this may be.
  std::vector<Layer*> layers_like(const ImageConvolution& found) {
    const auto alike = [](const WindowDimension& a, const WindowDimension& b) {
      return a.input == b.input && a.size == b.size && a.output == b.output && a.low == b.low &&
             a.stride == b.stride && a.dilation == b.dilation && b.base_dilation == 1;
    };
    std::vector<Layer*> layers;
    for (Layer& one : layers_) {
      const bool is_its = found.kind == Kind::kInputGradient ? one.w == base(found.right)
                                                             : one.x == base(found.left);
      if (is_its && one.filters == found.filters && one.images.batch == found.images.batch &&
          one.images.channels == found.images.channels && alike(one.images.y, found.images.y) &&
          alike(one.images.x, found.images.x)) {
        layers.push_back(&one);
      }
    }
    return layers;
  }

  // From y on, elementwise operations on values that lie alike; a pooling's gradient leads back.
  void find_wide(Layer& layer) {
    layer.wide.insert(layer.y);
    layer.needs_plain = false;
    for (const Operation& operation : graph_.operations()) {
      const int result = operation.results[0];
      if (result == layer.y || !reads_wide(layer, operation)) continue;
      if (follows(layer, operation)) {
        layer.wide.insert(result);
      } else if (!takes(layer, operation)) {
        layer.needs_plain = true;
      }
    }
    const auto lies_plain = [&](int value) { return !layer.wide.contains(value); };
    layer.needs_plain = layer.needs_plain || std::ranges::any_of(layer.d_y, lies_plain) ||
                        std::ranges::any_of(graph_.outputs(), [&](const graph::Output& output) {
                          return layer.wide.contains(output.value);
                        });
    if (layer.needs_plain) keep_product(layer);
  }
  static bool reads_wide(const Layer& layer, const Operation& operation) {
    return std::ranges::any_of(operation.operands,
                               [&](int operand) { return layer.wide.contains(operand); });
  }

  // The bias and the ReLU that the product takes along; all else is as it was.
  void keep_product(Layer& layer) const {
    layer.wide = {layer.y};
    for (const Operation& operation : graph_.operations()) {
      if (!reads_wide(layer, operation)) continue;
      const bool adds = is(&operation, "add") && operation.operands[0] == layer.y &&
                        is_bias(layer, operation.operands[1]);
      const bool rectifies = is(&operation, "maximum") && graph_.splat(operation.operands[1]) == 0;
      if (adds || rectifies) layer.wide.insert(operation.results[0]);
    }
  }

  // Whether a result has an element for each of y's, in its place.
  bool follows(Layer& layer, const Operation& operation) {
    if (operation.results.size() != 1 || shape(operation.results[0]) != shape(layer.y))
      return false;
    if (is(&operation, "select_and_scatter")) {
      return layer.wide.contains(operation.operands[0]) && note_window(layer, operation);
    }
    return is_elementwise(*operation.kind) &&
           std::ranges::all_of(operation.operands, [&](int operand) {
             return layer.wide.contains(operand) || graph_.splat(operand) ||
                    is_bias(layer, operand);
           });
  }

  bool is_bias(const Layer& layer, int value) const {
    const Operation* repeat = graph_.maker(value);
    return is(repeat, "broadcast_in_dim") &&
           graph::attribute<Integers>(*repeat, "broadcast_dimensions") == Integers{3} &&
           shape(repeat->operands[0]) == Shape{layer.filters};
  }

  // Whether an operation can read a value that lies as y does, and gives what it always gives.
  bool takes(Layer& layer, const Operation& operation) {
    if (is(&operation, "reduce_window")) return note_window(layer, operation);
    if (!is(&operation, "convolution")) return adds_pixels(operation);
    const auto found = graph::image_convolution(graph_, operation);
    if (!found || found->kind == Kind::kForward) return false;
    const std::vector<Layer*> layers = layers_like(*found);
    const int other = found->kind == Kind::kKernelGradient ? found->left : found->right;
    return !layers.empty() && layers[0] == &layer && !layer.wide.contains(other);
  }

  bool adds_pixels(const Operation& operation) const {
    return is(&operation, "reduce") && graph_.call(operation).word("body") == "add" &&
           graph_.splat(operation.operands[1]) == 0 &&
           graph::attribute<Integers>(operation, "dimensions") == graph::counting(3);
  }

  // All poolings of a result have windows of one size, side by side.
  bool note_window(Layer& layer, const Operation& operation) const {
    const auto window = window_of(graph_.call(operation));
    if (!window) return false;
    const bool is_known = layer.window * layer.window_height != 1;
    if (is_known && (layer.window != window->x || layer.window_height != window->y)) return false;
    layer.window = window->x;
    layer.window_height = window->y;
    return true;
  }

  // ---- How many pixels ----

  void choose(Layer& layer) const {
    const graph::Images& images = layer.images;
    const std::int64_t most = std::gcd(images.x.input, images.x.output);
    std::optional<std::int64_t> least;
    for (std::int64_t pixels = 1; pixels <= most; ++pixels) {
      if (most % pixels != 0) continue;
      const bool fills_windows = !layer.needs_plain && pixels % layer.window == 0;
      const std::int64_t apart = fills_windows ? layer.window : 1;
      if (pixels > 1 && !layer.needs_plain && layer.window > 1 && apart == 1) continue;
      WindowDimension x;
      const WidePixels wide = wide_pixels(images.x, pixels, apart, x);
      const auto clocks = estimated_clocks({.images = images,
                                            .filters = layer.filters,
                                            .has_kernel_gradient = layer.has_kernel_gradient,
                                            .has_input_gradient = layer.has_input_gradient,
                                            .window = layer.window,
                                            .window_height = layer.window_height},
                                           wide, x, sizes_);
      constexpr std::int64_t kPerCent = 95;
      if (!clocks || (least && 100 * *clocks > kPerCent * *least)) continue;
      least = *clocks;
      layer.pixels = wide;
      layer.wide_x = x;
    }
  }

  /// `x` becomes the window of wide pixels.
  static WidePixels wide_pixels(const WindowDimension& window, std::int64_t pixels,
                                std::int64_t apart, WindowDimension& x) {
    x = window;
    if (pixels == 1) return {.width = window.size};
    x.input = window.input / pixels;
    x.output = window.output / pixels;
    x.low = ceil_div(window.low, pixels);
    x.size = x.low + (pixels + window.size - 2 - window.low) / pixels + 1;
    x.high = x.output - 1 + x.size - x.low - x.input;
    return {
        .pixels = pixels, .apart = apart, .width = x.size, .first = pixels * x.low - window.low};
  }

  // ---- The graph ----

  const Layer* layer_of(int value) const {
    const auto found = layer_of_.find(value);
    return found == layer_of_.end() ? nullptr : found->second;
  }

  static Shape wide_shape(const Shape& images, std::int64_t pixels) {
    return {images[0], images[1], images[2] / pixels, images[3] * pixels};
  }

  /// A value of the old graph as wide pixels.
  Value wide(const Layer& layer, int value) {
    if (const auto known = wide_.find(value); known != wide_.end()) return known->second;
    return reshape(values_[value], wide_shape(shape(value), layer.pixels.pixels));
  }
  /// Pixel by pixel. Where pixels lie in another order, whoever reads them finds `wide` instead.
  Value plain(Value wide, int value) {
    wide_[value] = wide;
    return reshape(wide, shape(value));
  }

  Value kernel(const Layer& layer, Value w) {
    auto& known = kernels_[&layer];
    if (!known) known = wide_kernel(w, layer.pixels);
    return known;
  }

  std::optional<Value> convolved(const Operation& operation) {
    const auto found = graph::image_convolution(graph_, operation);
    if (!found) return {};
    const Layer* layer = layer_of(operation.results[0]);
    if (found->kind != Kind::kForward) {
      const std::vector<Layer*> layers = layers_like(*found);
      layer = layers.empty() ? nullptr : layers[0];
    }
    if (layer == nullptr) return {};
    const std::int64_t pixels = layer->pixels.pixels;
    const graph::Images& images = layer->images;
    const WindowDimension &y = images.y, &x = layer->wide_x;
    const auto options = [](Integers low, Integers high) {
      return graph::WindowOptions{.strides = {1, 1},
                                  .low = std::move(low),
                                  .high = std::move(high),
                                  .base_dilation = {1, 1},
                                  .dilation = {1, 1}};
    };
    const int result = operation.results[0];
    if (found->kind == Kind::kForward) {
      const Value images_x = reshape(values_[found->left], wide_shape(shape(found->left), pixels));
      return plain(convolution(images_x, kernel(*layer, values_[found->right]), kForward,
                               options({y.low, x.low}, {y.high, x.high})),
                   result);
    }
    if (found->kind == Kind::kInputGradient) {
      const Value turned = reverse(kernel(*layer, values_[found->right]), {0, 1});
      const auto high = [](const WindowDimension& one) {
        return one.input - one.output + one.low;  // of as many windows as X has pixels
      };
      const Value d_x =
          convolution(wide(*layer, found->left), turned, kInput,
                      options({y.size - 1 - y.low, x.size - 1 - x.low}, {high(y), high(x)}));
      return reshape(d_x, shape(result));
    }
    const Value images_x = reshape(values_[found->left], wide_shape(shape(found->left), pixels));
    return kernel_gradient(*layer, convolution(images_x, wide(*layer, found->right), kKernel,
                                               options({y.low, x.low}, {y.high, x.high})));
  }

  // The parts of a wide kernel's gradient that are a pixel's, added up.
  Value kernel_gradient(const Layer& layer, Value wide) {
    const graph::Images& images = layer.images;
    const WidePixels& pixels = layer.pixels;
    const std::int64_t channels = images.channels, filters = layer.filters;
    const std::int64_t rows = pixels.width * pixels.pixels * channels;
    const Value all = reshape(wide, {images.y.size, rows, pixels.pixels * filters});
    std::vector<Value> sums;
    for (std::int64_t pixel = 0; pixel < pixels.pixels; ++pixel) {
      const std::int64_t row = (pixels.first + pixel) * channels;
      const std::int64_t col = pixels.place(pixel) * filters;
      sums.push_back(slice(all, {0, row, col},
                           {images.y.size, row + images.x.size * channels, col + filters}));
    }
    const Value sum = combined_in_pairs(std::move(sums), [](Value a, Value b) { return a + b; });
    return reshape(sum, {images.y.size, images.x.size, channels, filters});
  }

  Value elements(const Layer& layer, const Operation& operation) {
    std::vector<Value> operands;
    for (const int operand : operation.operands) operands.push_back(wide_operand(layer, operand));
    return plain(operands[0].graph().add(operation, operands)[0], operation.results[0]);
  }

  Value wide_operand(const Layer& layer, int operand) {
    const std::int64_t pixels = layer.pixels.pixels;
    const Shape to = wide_shape(shape(layer.y), pixels);
    if (layer.wide.contains(operand)) return wide(layer, operand);
    if (graph_.splat(operand)) {
      return broadcast_to(constant(values_[operand].graph(), {graph_.type(operand).element, {}},
                                   *graph_.splat(operand)),
                          to);
    }
    const Value bias = values_[graph_.maker(operand)->operands[0]];
    const Value side_by_side = broadcast_in_dim(bias, {pixels, layer.filters}, {1});
    return broadcast_in_dim(reshape(side_by_side, {pixels * layer.filters}), to, {3});
  }

  /// The view in which a place of all windows along a line are pixels side by side.
  static Shape windows_shape(const Layer& layer, const Shape& images) {
    const WidePixels& wide = layer.pixels;
    const std::int64_t together = wide.pixels / wide.apart;
    return {images[0], images[1], images[2] / together, images[3] * together};
  }

  static graph::WindowOptions windows_of(const Layer& layer) {
    const Integers size = {1, layer.window_height, layer.window, 1};
    return {.size = size, .strides = size};
  }

  std::optional<Value> pooled(const Operation& operation) {
    const bool pools = is(&operation, "reduce_window");
    const Layer* layer = layer_of(operation.operands.empty() ? -1 : operation.operands[0]);
    if (layer == nullptr) return {};
    const int x = operation.operands[0], result = operation.results[0];
    if (pools && layer->pixels.apart > 1) {
      const Value view = reshape(wide(*layer, x), windows_shape(*layer, shape(layer->y)));
      return reshape(reduce_window(view, values_[operation.operands[1]],
                                   graph_.call(operation).word("body"), windows_of(*layer)),
                     shape(result));
    }
    if (!adds_pixels(operation) || layer->needs_plain) return {};
    const Value sums = sum(wide(*layer, x), graph::counting(3));
    return sum(reshape(sums, {layer->pixels.pixels, layer->filters}), {0});
  }

  std::optional<Value> scattered(const Layer& layer, const Operation& operation) {
    const int result = operation.results[0];
    const Shape& y = shape(layer.y);
    const Shape whole = windows_shape(layer, y);
    if (layer.pixels.apart == 1) return {};
    const Value view = reshape(wide(layer, operation.operands[0]), whole);
    const Shape pooled = {whole[0], whole[1] / layer.window_height, whole[2] / layer.window,
                          whole[3]};
    const Value d = select_and_scatter(view, reshape(values_[operation.operands[1]], pooled),
                                       values_[operation.operands[2]], windows_of(layer));
    return plain(reshape(d, wide_shape(y, layer.pixels.pixels)), result);
  }

  const Graph& graph_;
  DeviceSizes sizes_;
  std::vector<Layer> layers_;
  std::map<int, const Layer*> layer_of_;  ///< by what lies as the result does
  std::span<const Value> values_;
  std::map<int, Value> wide_;  ///< values of the new graph, by the old one's
  std::map<const Layer*, Value> kernels_;
};

}  // namespace

std::unique_ptr<Graph> widen_convolutions(const Graph& graph, const DeviceSizes& sizes) {
  Widener widener(graph, sizes);
  return rewrite(graph, std::ref(widener));
}

}  // namespace systole::lowering
