#pragma once

#include <deque>
#include <memory>

#include "host/cpu/program.h"
#include "host/nn/layers/layer.h"
#include "host/nn/numbers/tensor.h"

namespace systole::tests {

/// A single layer as a graph: its parameters, outputs and gradients.
class WrittenLayer {
 public:
  WrittenLayer(nn::Layer layer, nn::Shape sample, std::uint64_t seed = 3);

  struct Options {
    bool training = true;
    int threads = 1;
    std::int64_t step = 0, first_row = 0;
    graph::CpuProgram::Elsewhere elsewhere = {};
  };
  struct Passed {
    nn::Tensor y, d_x;
  };
  /// d_y: the gradient of y, ones if not given. The parameters receive theirs.
  Passed run(const nn::Tensor& x, const nn::Tensor& d_y, Options options);
  Passed run(const nn::Tensor& x, const nn::Tensor& d_y) { return run(x, d_y, Options{}); }
  nn::Tensor forward(const nn::Tensor& x, Options options);
  nn::Tensor forward(const nn::Tensor& x) { return forward(x, Options{}); }

  const nn::Shape& output_shape() const { return output_shape_; }
  std::deque<nn::Parameter>& parameters() { return parameters_; }

 private:
  nn::Layer layer_;
  nn::Shape sample_, output_shape_;
  std::uint64_t seed_;
  std::deque<nn::Parameter> parameters_;
};

/// Builds a layer for samples of a shape, to test its refusals.
void write_layer(const nn::Layer& layer, const nn::Shape& sample);

}  // namespace systole::tests
