#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/nn/layers/parameter.h"
#include "host/nn/numbers/generator.h"
#include "host/nn/products/product.h"

namespace systole::nn {

struct ProjectionOptions {
  std::string name;  ///< of the parameters: "NAME/kernel", "NAME/bias"
  std::int64_t inputs = 0, units = 0;
  bool has_bias = true;
};

/// Y = X W + b: a weight matrix whose three products run on the device, for the parts of a network
/// that is not a chain of layers. What X was is the caller's to keep.
///
/// Shapes   X [rows, inputs], W [inputs, units], b [units], Y [rows, units]; rows follow from the
///          spans, and may differ from call to call
/// Timing   W is converted once for each update
/// Numbers  W starts uniform in +-sqrt(6 / (inputs + units)), b at zero; db is summed in fp32, rows
///          ascending
/// Errors   std::invalid_argument for inputs or units below 1, and spans that do not match
/// Source   Glorot and Bengio, AISTATS 2010, for the initial weights
class Projection {
 public:
  Projection(const ProjectionOptions& options, Generator& generator);

  void forward(Multiplier& multiplier, std::span<const float> x, std::span<float> y);

  /// dX = dY W^T.
  void backward(Multiplier& multiplier, std::span<const float> d_y, std::span<float> d_x);

  /// dW = X^T dY and db, which replace the parameters' gradients: one product for any number of
  /// time steps, given one after the other.
  void find_gradients(Multiplier& multiplier, std::span<const float> x, std::span<const float> d_y);

  std::int64_t units() const { return units_; }
  std::span<Parameter> parameters() { return parameters_; }  ///< kernel; bias, if it has one

 private:
  void load_weight(Multiplier& multiplier);
  std::int64_t rows_of(std::span<const float> values, std::int64_t row_size) const;

  std::int64_t inputs_, units_;
  bool has_bias_;
  std::vector<Parameter> parameters_;
  Operand x_, w_, d_y_;
  std::uint64_t loaded_version_ = 0;
};

}  // namespace systole::nn
