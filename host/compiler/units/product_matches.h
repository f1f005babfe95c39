#pragma once

#include <optional>
#include <vector>

#include "host/cpu/images.h"
#include "host/cpu/kernel.h"
#include "host/device/data_type.h"

namespace systole::lowering {

/// A dot_general as a product of the device, or as a batch of them, with its fused operations.
/// Values are the graph's ids, -1 for none; operands are the values in memory, before any reshape.
/// The matrices of a batch lie one after the other, those of its operands and of its result.
struct MatrixMatch {
  graph::DotForm form;
  DataType type = DataType::kBf16;
  int a = -1, b = -1, result = -1;
  int bias = -1, mask = -1;
  bool relu = false;
  int column_sums = -1;                      ///< those of b
  bool rounds = false;                       ///< the result is stored in bf16
  std::optional<graph::Images> images = {};  ///< A's rows, or transposed its columns, are patches
  bool adds_terms = false;                   ///< of the bias, by the array
  bool turned = false;                       ///< B is a convolution's reversed kernel
  /// Columns of a wide kernel, and those that hold the graph's kernel; the others are zeros.
  std::int64_t all_columns = 1, kernel_columns = 1;
};

/// A convolution of images, or all gradients that share one forward convolution's dY.
struct ImageMatch {
  graph::Images images;
  DataType type = DataType::kBf16;
  std::int64_t filters = 0;
  int x = -1, w = -1;
  int y = -1, bias = -1;  ///< forward
  bool relu = false;
  int d_y = -1, d_x = -1, d_w = -1, d_bias = -1;  ///< backward
  int mask = -1;                                  ///< of d_x
};

struct ProductMatches {
  std::vector<MatrixMatch> matrices;
  std::vector<ImageMatch> images;
};

/// What products take along: kAll also biases, ReLUs and masks.
enum class Fuses : std::uint8_t { kColumnSums, kAll };

/// Finds the operations that a device can do as products.
ProductMatches find_products(const graph::Graph& graph, Fuses fuses);

}  // namespace systole::lowering
