#pragma once

#include <vector>

#include "host/graph/cpu/images.h"
#include "host/graph/cpu/kernel.h"

namespace systole::nn {

/// A dot_general as one product of the device, with what goes along with it. Values are numbers of
/// the graph's, -1 for none; operands are those that lie in memory, before any reshape.
struct MatrixMatch {
  graph::DotForm form;
  int a = -1, b = -1, result = -1;
  int bias = -1, mask = -1;
  bool relu = false;
  int column_sums = -1;  ///< those of b
  bool stays = false;    ///< on the device: products alone read the result
  bool waits = false;    ///< a gradient that is an output of the graph, and nothing else
  double order = 0;
};

/// A convolution of images, or its gradients: all that there are of one forward convolution's dY.
struct ImageMatch {
  graph::Images images;
  std::int64_t filters = 0;
  int x = -1, w = -1, patches = -1;  ///< patches: those of equal x and images have one number
  int y = -1, bias = -1;             ///< forward
  bool relu = false;
  int d_y = -1, d_x = -1, d_w = -1, d_bias = -1;  ///< backward
  bool waits = false;                             ///< d_w is an output of the graph, nothing else
  double order = 0;
};

struct ProductMatches {
  std::vector<MatrixMatch> matrices;
  std::vector<ImageMatch> images;
  std::vector<bool> keeps_patches;  ///< by ImageMatch::patches: needed again by a gradient
};

/// Finds what a device can do as products.
///
/// fuses: biases, ReLUs and masks go with products, and results may stay; else column sums alone
ProductMatches find_products(const graph::Graph& graph, bool fuses);

}  // namespace systole::nn
