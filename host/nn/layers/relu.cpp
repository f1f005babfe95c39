#include "host/nn/layers/relu.h"

namespace systole::nn {
namespace {

class ReluLayer : public Layer {
 public:
  std::string kind() const override { return "Relu"; }
  Execution execution() const override { return Execution::kRelu; }

  Shape build(const Shape& input, Generator&) override { return input; }

  void forward(const Pass&, const Tensor& input, Tensor& output) override {
    output.resize(input.rows, input.row_size);
    const float* x = input.values.data();
    float* y = output.values.data();
    for (std::size_t i = 0; i < output.values.size(); ++i) y[i] = x[i] < 0.0f ? 0.0f : x[i];
  }

  void backward(const Pass&, const Tensor&, const Tensor& output, const Tensor& d_output,
                Tensor* d_input) override {
    if (d_input == nullptr) return;
    d_input->resize(output.rows, output.row_size);
    const float* y = output.values.data();
    const float* d_y = d_output.values.data();
    float* d_x = d_input->values.data();
    for (std::size_t i = 0; i < output.values.size(); ++i) d_x[i] = y[i] > 0.0f ? d_y[i] : 0.0f;
  }
};

}  // namespace

std::unique_ptr<Layer> Relu::make() const { return std::make_unique<ReluLayer>(); }

}  // namespace systole::nn
