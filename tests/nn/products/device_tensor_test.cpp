// Values that stay on the device between layers, and that this changes no result.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "host/device/convert.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/products/product.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

Trained train(nn::Sequential model, const Device& device) {
  model.compile(
      {.optimizer = nn::Sgd{.learning_rate = 0.1f}, .device = device, .input_shape = {9}});
  return fit(model, small_data(40, 9, 3), {.epochs = 2, .batch_size = 16});
}

}  // namespace

TEST_CASE("every form of ReLU trains to the same bits", "[device_tensor]") {
  const Device cpu = Device::open("cpu");
  const auto plain = train({nn::Dense{.units = 7}, nn::Relu{}, nn::Dense{.units = 3}}, cpu);
  CHECK(plain.losses.back() < 0.9 * plain.losses.front());
  // Initial weights depend on a layer's place: three layers each.
  const auto same = [&](nn::Sequential model) { CHECK(train(std::move(model), cpu) == plain); };
  same({nn::Dense{.units = 7}, nn::Activation{nn::Function::kRelu}, nn::Dense{.units = 3}});
  same({nn::Dense{.units = 7, .activation = nn::Function::kRelu}, nn::Flatten{},
        nn::Dense{.units = 3}});
}

TEST_CASE("a result that stays on the device is rounded to the operand's type", "[device_tensor]") {
  const DataType precision = GENERATE(DataType::kFp32, DataType::kBf16);
  nn::Multiplier multiplier(Device::open("cpu"), precision);
  nn::Operand a, b, bias, one, result;
  multiplier.load(a, std::vector<float>{1, -2, 3});
  multiplier.load(b, std::vector<float>{1, 0.5f});
  multiplier.load(one, std::vector<float>{1, 0, 0, 1});
  multiplier.load_bias(bias, std::vector<float>{0, 1 + 0x1p-12f});
  multiplier.multiply({.a = a, .b = b, .rows = 3, .depth = 1, .cols = 2},
                      {.bias = &bias, .relu = true}, result);
  std::vector<float> values(6);
  multiplier.multiply({.a = result, .b = one, .rows = 3, .depth = 2, .cols = 2}, values);
  const float exact = 1.5f + 0x1p-12f;
  const float rounded = precision == DataType::kFp32 ? exact : to_fp32(to_bf16(exact));
  const float last = precision == DataType::kFp32 ? 2.5f + 0x1p-12f : 2.5f;
  CHECK(values == std::vector<float>{1, rounded, 0, 0x1p-12f, 3, last});
}

TEST_CASE("gradients computed twice before they are read are the second ones", "[device_tensor]") {
  nn::Multiplier multiplier(Device::open("cpu"), DataType::kFp32);
  nn::Operand a, b;
  nn::GradientBuffers buffers;
  std::vector<float> first(1), first_sums(1), second(1);
  multiplier.load(a, std::vector<float>{2});
  multiplier.load(b, std::vector<float>{3});
  multiplier.multiply({.a = a, .b = b, .rows = 1, .depth = 1, .cols = 1}, buffers, first,
                      first_sums);
  multiplier.load(b, std::vector<float>{4});
  multiplier.multiply({.a = a, .b = b, .rows = 1, .depth = 1, .cols = 1}, buffers, second, {});
  multiplier.wait();
  CHECK(first == std::vector<float>{6});
  CHECK(first_sums == std::vector<float>{3});
  CHECK(second == std::vector<float>{8});
}

TEST_CASE("a NaN passes a ReLU on the device", "[device_tensor]") {
  for (const DeviceInfo& info : Device::list()) {
    // systemc runs rtl's kernels more slowly; fake computes nothing.
    if (info.name == "systemc" || info.name == "fake") continue;
    CAPTURE(info.name);
    nn::Sequential model = small_model(4, 3);
    model.compile({.device = Device::open(info.name, {.array_size = 4}), .input_shape = {6}});
    nn::Tensor inputs = random_tensor(1, 6, 1);
    inputs.values[2] = std::numeric_limits<float>::quiet_NaN();
    for (const float logit : model.predict(inputs).values) CHECK(std::isnan(logit));
  }
}

}  // namespace systole::tests
