#pragma once

#include "host/graph/layers/activations.h"
#include "host/graph/layers/model.h"

namespace systole::graph {

/// Y = f(X W + b), on the last dimension.
struct Dense {
  std::int64_t units = 0;
  Activation activation = linear;
  bool has_bias = true;

  Value operator()(Model& model, Value x) const;
};

enum class Padding : std::uint8_t { kValid, kSame };

struct Size2D {
  std::int64_t height = 1, width = 1;
};

/// Images [batch, height, width, channels] by filters [height, width, channels, filters], then f.
///
/// Numbers  kSame splits an odd border so that the larger half is below and to the right, as Keras
struct Conv2D {
  std::int64_t filters = 0;
  Size2D kernel = {3, 3};
  Size2D strides = {1, 1};
  Padding padding = Padding::kValid;
  Activation activation = linear;
  bool he_normal = false;  ///< the initial weights' distribution; Glorot's uniform otherwise

  Value operator()(Model& model, Value x) const;
};

struct MaxPooling2D {
  Size2D pool = {2, 2};
  Padding padding = Padding::kValid;

  Value operator()(Model& model, Value x) const;
};

/// The mean of a window's elements that lie in the image.
struct AveragePooling2D {
  Size2D pool = {2, 2};
  Padding padding = Padding::kValid;

  Value operator()(Model& model, Value x) const;
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta, by channel; in training of this batch, whose
/// mean and variance the moving ones follow.
struct BatchNormalization {
  double momentum = 0.99, epsilon = 1e-3;

  Value operator()(Model& model, Value x) const;
};

/// In training sets a share of x to 0 and scales the rest up; bits are counter-based, so that they
/// do not depend on threads or devices.
struct Dropout {
  double rate = 0.5;

  Value operator()(Model& model, Value x) const;
};

struct Flatten {
  Value operator()(Model& model, Value x) const;
};

struct Activate {
  Activation activation = relu;

  Value operator()(Model& model, Value x) const;
};

/// A row of a table for each number.
struct Embedding {
  std::int64_t words = 0, units = 0;

  Value operator()(Model& model, Value numbers) const;
};

/// A gated recurrent unit over [steps, batch, inputs]: all states, [steps, batch, units]. Where
/// `live` [steps, batch], a predicate, is false, the state stays.
///
/// Source   Cho et al., EMNLP 2014; the reset gate is applied after the product, as cuDNN does
struct Gru {
  std::int64_t units = 0;

  Value operator()(Model& model, Value x, Value live = {}) const;
};

/// softmax(v tanh(query W1 + values W2 + b)) over the steps that are live, and the values' sum
/// weighted by it: query [batch, q], values [steps, batch, n], live [steps, batch]; [batch, n].
///
/// Source   Bahdanau, Cho and Bengio, ICLR 2015
struct Attention {
  std::int64_t units = 0;

  Value operator()(Model& model, Value query, Value values, Value live) const;
};

}  // namespace systole::graph
