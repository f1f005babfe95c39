#include "host/compiler/units/image_products.h"

#include <utility>

namespace systole::lowering {
namespace {

using graph::Graph;

int result_of(const ImageMatch& match) {
  return match.y >= 0 ? match.y : match.d_x >= 0 ? match.d_x : match.d_w;
}

[[noreturn]] void fail(const Graph& graph, int value, std::string_view why) {
  graph.call(*graph.maker(value)).fail("{}", why);
}

void need_loadable(const Graph& graph, const ImageMatch& match, const graph::Images& images) {
  if (can_load_patches(images)) return;
  fail(graph, result_of(match),
       "the device loads patches of up to 15 x 15 pixels, 15 apart, the same both ways, of images "
       "of up to 65,535 pixels a side with up to 32,767 channels");
}

/// The patches of dY that lie over each pixel of X.
graph::Images patches_of_gradient(const Graph& graph, const ImageMatch& match) {
  if (match.images.y.stride != 1 || match.images.x.stride != 1) {
    fail(graph, match.d_x, "the device has the gradient of images for strides of 1 only");
  }
  const graph::Images images = turned(match.images, match.filters);
  need_loadable(graph, match, images);
  return images;
}

}  // namespace

bool can_load_patches(const graph::Images& images) {
  constexpr std::int64_t kMost = 15, kMostPixels = 65'535;  // of load_patches
  constexpr std::int64_t kPixelBytes = 2;                   // of a channel in bf16
  const auto fits = [&](const graph::WindowDimension& one) {
    return one.size <= kMost && one.stride <= kMost && one.low >= 0 && one.low <= kMost &&
           one.dilation == 1 && one.base_dilation == 1 && one.input <= kMostPixels &&
           one.output <= kMostPixels;
  };
  return fits(images.y) && fits(images.x) && images.y.stride == images.x.stride &&
         images.channels * kPixelBytes <= kMostPixels;
}

graph::Images turned(graph::Images images, std::int64_t filters) {
  images.channels = filters;
  for (graph::WindowDimension* one : {&images.y, &images.x}) {
    std::swap(one->input, one->output);
    one->high = one->size - 1 - one->high;
    one->low = one->size - 1 - one->low;
  }
  return images;
}

device::CommandWord patches_of(const graph::Images& images, std::int64_t bytes) {
  return device::encode(
      device::LoadPatches{.height = static_cast<std::uint16_t>(images.y.input),
                          .width = static_cast<std::uint16_t>(images.x.input),
                          .pixel_bytes = static_cast<std::uint16_t>(bytes * images.channels),
                          .out_height = static_cast<std::uint16_t>(images.y.output),
                          .out_width = static_cast<std::uint16_t>(images.x.output),
                          .kernel_height = static_cast<std::uint8_t>(images.y.size),
                          .kernel_width = static_cast<std::uint8_t>(images.x.size),
                          .stride = static_cast<std::uint8_t>(images.y.stride),
                          .pad_top = static_cast<std::uint8_t>(images.y.low),
                          .pad_left = static_cast<std::uint8_t>(images.x.low)});
}

std::vector<MatrixMatch> image_products(const Graph& graph, const ImageMatch& match) {
  const graph::Images& images = match.images;
  need_loadable(graph, match, images);
  const std::int64_t patches = images.batch * images.positions();
  std::vector<MatrixMatch> products;
  if (match.y >= 0) {
    products.push_back({.form = {.rows = patches, .depth = images.patch(), .cols = match.filters},
                        .type = match.type,
                        .a = match.x,
                        .b = match.w,
                        .result = match.y,
                        .bias = match.bias,
                        .relu = match.relu,
                        .images = images});
  }
  if (match.d_w >= 0) {
    products.push_back({.form = {.rows = images.patch(),
                                 .depth = patches,
                                 .cols = match.filters,
                                 .transpose_a = true},
                        .type = match.type,
                        .a = match.x,
                        .b = match.d_y,
                        .result = match.d_w,
                        .column_sums = match.d_bias,
                        .images = images});
  }
  if (match.d_x >= 0) {
    const graph::Images spread = patches_of_gradient(graph, match);
    products.push_back({.form = {.rows = images.batch * spread.positions(),
                                 .depth = spread.patch(),
                                 .cols = images.channels,
                                 .transpose_b = true},
                        .type = match.type,
                        .a = match.d_y,
                        .b = match.w,
                        .result = match.d_x,
                        .mask = match.mask,
                        .images = spread,
                        .turned = true});
  }
  return products;
}

}  // namespace systole::lowering
