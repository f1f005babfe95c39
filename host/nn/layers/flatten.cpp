#include "host/nn/layers/flatten.h"

namespace systole::nn {
namespace {

class FlattenLayer : public Layer {
 public:
  std::string kind() const override { return "Flatten"; }
  Execution execution() const override { return Execution::kView; }

  Shape build(const Shape& input, Generator&) override { return {size_of(input)}; }

  void forward(const Pass&, const Tensor& input, Tensor& output) override { output = input; }

  void backward(const Pass&, const Tensor&, const Tensor&, const Tensor& d_output,
                Tensor* d_input) override {
    if (d_input != nullptr) *d_input = d_output;
  }
};

}  // namespace

std::unique_ptr<Layer> Flatten::make() const { return std::make_unique<FlattenLayer>(); }

}  // namespace systole::nn
