#include "host/nn/layers/dropout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "host/nn/numbers/parallel.h"

namespace systole::nn {
namespace {

class DropoutLayer : public Layer {
 public:
  explicit DropoutLayer(float rate) : rate_(rate) {}

  std::string kind() const override { return "Dropout"; }
  std::string description() const override { return fmt::format("Dropout({})", rate_); }

  Shape build(const Shape& input, Generator& generator) override {
    if (!(rate_ >= 0 && rate_ < 1)) {
      throw std::invalid_argument(fmt::format("Dropout: rate {} is not in 0..1", rate_));
    }
    seed_ = generator.next();
    return input;
  }

  void forward(const Pass& pass, const Tensor& input, Tensor& output) override {
    output.resize(input.rows, input.row_size);
    if (!pass.training) {
      std::ranges::copy(input.values, output.values.begin());
      return;
    }
    factors_.resize(input.values.size());
    parallel_for(pass.threads(), input.rows, 8, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        draw(pass, r, input.row_size);
        const float* factor = factors_.data() + r * input.row_size;
        const auto x = input.row(r);
        const auto y = output.row(r);
        for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * factor[i];
      }
    });
  }

  void backward(const Pass&, const Tensor&, const Tensor&, const Tensor& d_output,
                Tensor* d_input) override {
    if (d_input == nullptr) return;
    d_input->resize(d_output.rows, d_output.row_size);
    const float* d_y = d_output.values.data();
    float* d_x = d_input->values.data();
    for (std::size_t i = 0; i < factors_.size(); ++i) d_x[i] = d_y[i] * factors_[i];
  }

 private:
  // The factors of one sample: a stream of its own, so that samples may be shared out.
  void draw(const Pass& pass, std::int64_t row, std::int64_t size) {
    Generator of_step(seed_, static_cast<std::uint64_t>(pass.step));
    Generator generator(of_step.next(), static_cast<std::uint64_t>(pass.first_row + row));
    const float kept = 1.0f / (1.0f - rate_);
    float* factor = factors_.data() + row * size;
    for (std::int64_t i = 0; i < size; ++i) factor[i] = generator.uniform() < rate_ ? 0 : kept;
  }

  float rate_;
  std::uint64_t seed_ = 0;
  std::vector<float> factors_;
};

}  // namespace

std::unique_ptr<Layer> Dropout::make() const { return std::make_unique<DropoutLayer>(rate); }

}  // namespace systole::nn
