// Values that stay on the device between layers, and that this changes no result.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "host/device/convert.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "tests/host/fake_backend.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

// An identity layer that only the processor can do, so its neighbours cannot share values on the
// device.
struct Apart {
  nn::Value operator()(nn::Builder&, nn::Value x) const {
    return select(compare(x, "EQ", x), x, x + x);
  }
};

Trained train(nn::Sequential model, const Device& device, std::optional<DataType> precision = {}) {
  model.compile({.optimizer = nn::Sgd{.learning_rate = 0.1f},
                 .device = device,
                 .precision = precision,
                 .input_shape = {9}});
  return fit(model, small_data(40, 9, 3), {.epochs = 2, .batch_size = 16});
}

const std::vector<std::int32_t> kLabels{0, 1, 2, 0, 1};

}  // namespace

TEST_CASE("a step of dense layers is two programs, with the loss between them", "[device_tensor]") {
  const FakeDevice fake = open_fake_device();
  nn::Sequential model{nn::Flatten{}, nn::Dense{.units = 4}, nn::Relu{}, nn::Dense{.units = 3}};
  model.compile({.device = fake.device, .input_shape = {2, 3}});
  model.compute_gradients(random_tensor(5, 6, 1), kLabels);
  CHECK(fake.backend->batches == std::vector<std::size_t>{2, 3});
  // X and both layers' parameters; the logits; dY; the gradients; no intermediate tensors.
  const auto count = [&](const std::string& what) {
    return std::ranges::count_if(fake.backend->log,
                                 [&](const std::string& line) { return line.starts_with(what); });
  };
  CHECK(count("write") == 6);
  CHECK(count("read") == 5);
}

TEST_CASE("a step after the first of its size allocates nothing", "[device_tensor]") {
  const FakeDevice fake = open_fake_device();
  nn::Sequential model = small_model(4, 3);
  model.compile({.device = fake.device, .input_shape = {6}});
  model.train_batch(random_tensor(5, 6, 1), kLabels);
  model.train_batch(random_tensor(2, 6, 2), std::vector<std::int32_t>{0, 1});
  const std::size_t blocks = fake.backend->live_blocks();
  model.train_batch(random_tensor(2, 6, 2), std::vector<std::int32_t>{0, 1});
  model.train_batch(random_tensor(5, 6, 3), kLabels);
  CHECK(fake.backend->live_blocks() == blocks);
}

TEST_CASE("the first layer's gradient is the second to last product", "[device_tensor]") {
  const FakeDevice fake = open_fake_device();
  nn::Sequential model{nn::Dense{.units = 4}, nn::Relu{}, nn::Dense{.units = 7}, nn::Relu{},
                       nn::Dense{.units = 3}};
  model.compile({.device = fake.device, .input_shape = {6}});
  model.compute_gradients(random_tensor(5, 6, 1), kLabels);
  REQUIRE(fake.backend->batches == std::vector<std::size_t>{3, 5});
  std::vector<std::string> products;
  for (const std::string& line : fake.backend->log) {
    if (line.starts_with("execute")) products.push_back(line);
  }
  CHECK(products == std::vector<std::string>{
                        "execute 5 x 6 times 6 x 4, bf16", "execute 5 x 4 times 4 x 7, bf16",
                        "execute 5 x 7 times 7 x 3, bf16",
                        // dX3, dW3 while dX2 waits for it, dX2, dW1, dW2
                        "execute 5 x 3 times 3 x 7, bf16", "execute 7 x 5 times 5 x 3, bf16",
                        "execute 5 x 7 times 7 x 4, bf16", "execute 6 x 5 times 5 x 4, bf16",
                        "execute 4 x 5 times 5 x 7, bf16"});
}

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

TEST_CASE("layers on the host receive their tensors, and change no bit", "[device_tensor]") {
  const Device cpu = Device::open("cpu");
  const DataType precision = GENERATE(DataType::kFp32, DataType::kBf16);
  const auto losses = [&](nn::Sequential model) {
    return train(std::move(model), cpu, precision).losses;
  };
  const auto plain = losses({nn::Dense{.units = 7}, nn::Relu{}, nn::Dense{.units = 3}});
  const auto after = losses({nn::Dense{.units = 7}, nn::Relu{}, nn::Dense{.units = 3}, Apart{}});
  CHECK(after == plain);
  const auto relu_at_end =
      losses({nn::Dense{.units = 7}, Apart{}, nn::Dense{.units = 3}, nn::Relu{}});
  const auto relu_apart =
      losses({nn::Dense{.units = 7}, Apart{}, nn::Dense{.units = 3}, Apart{}, nn::Relu{}});
  CHECK(relu_at_end == relu_apart);
  const auto apart_first =
      losses({nn::Dense{.units = 7}, nn::Relu{}, Apart{}, nn::Dense{.units = 3}});
  const auto apart_before =
      losses({nn::Dense{.units = 7}, Apart{}, nn::Relu{}, nn::Dense{.units = 3}});
  CHECK(apart_first == apart_before);
  CHECK(apart_first.back() < apart_first.front());
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

TEST_CASE("a training step of mnist-mlp uses 95 percent of the array in bf16, 90 in int8",
          "[device_tensor]") {
  const auto devices = Device::list();
  if (std::ranges::none_of(devices, [](const auto& info) { return info.name == "model"; })) {
    WARN("skipped: this build has no model");
    return;
  }
  const auto [precision, least] =
      GENERATE(std::pair(DataType::kBf16, 0.95), std::pair(DataType::kInt8, 0.90));
  const Device device = Device::open("model", {.array_size = 16});
  nn::Sequential model{nn::Dense{.units = 512}, nn::Relu{}, nn::Dense{.units = 10}};
  model.compile({.device = device, .precision = precision, .input_shape = {784}});
  model.train_batch(random_tensor(128, 784, 1), cyclic_labels(128, 10));
  CHECK(utilization(device.counters(), 16) >= least);
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
