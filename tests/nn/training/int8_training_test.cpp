// Training with int8 matrix products.
#include <catch2/catch.hpp>
#include <cmath>

#include "host/nn/layers/conv2d.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

Trained train(const Device& device, DataType precision, std::uint64_t seed = 1,
              double* accuracy = nullptr) {
  nn::Sequential model = small_model(17, 3);
  model.compile({.optimizer = nn::Adam{.learning_rate = 0.01f},
                 .device = device,
                 .precision = precision,
                 .seed = seed});
  const Dataset data = small_data(90, 19, 3);
  const Trained trained = fit(model, data, {.epochs = 8, .batch_size = 20});
  if (accuracy != nullptr) *accuracy = model.evaluate(data).accuracy;
  return trained;
}

}  // namespace

TEST_CASE("int8 training learns what fp32 does", "[int8]") {
  double fp32_accuracy = 0, int8_accuracy = 0;
  const Trained fp32 = train(Device::open("cpu"), DataType::kFp32, 1, &fp32_accuracy);
  const Trained int8 =
      train(Device::open("model", {.array_size = 4}), DataType::kInt8, 1, &int8_accuracy);
  CHECK(fp32_accuracy > 0.95);
  CHECK(int8_accuracy >= fp32_accuracy - 0.025);
  CHECK(int8.losses != fp32.losses);
  CHECK(int8.losses.back() == Approx(fp32.losses.back()).epsilon(0.2));
}

TEST_CASE("int8 training depends on its seed alone", "[int8]") {
  const Device device = Device::open("model", {.array_size = 4});
  const Trained five = train(device, DataType::kInt8, 5);
  CHECK(train(device, DataType::kInt8, 5) == five);
  CHECK(train(device, DataType::kInt8, 6).losses != five.losses);
}

TEST_CASE("a convolution overfits its images in int8", "[int8]") {
  nn::Sequential model{nn::Conv2D{.filters = 6}, nn::Relu{}, nn::Flatten{}, nn::Dense{.units = 3}};
  model.compile({.optimizer = nn::Adam{.learning_rate = 0.02f},
                 .device = Device::open("model", {.array_size = 4}),
                 .precision = DataType::kInt8,
                 .input_shape = {6, 6, 1}});
  const nn::Tensor images = random_tensor(32, 36, 8);
  const std::vector<std::int32_t> labels = cyclic_labels(32, 3);
  nn::Score score;
  for (int step = 0; step < 60; ++step) score = model.train_batch(images, labels);
  CHECK(score.accuracy == 1);
}

TEST_CASE("a NaN shows in an int8 run's loss", "[int8]") {
  nn::Sequential model = small_model(4, 3);
  model.compile({.device = Device::open("model", {.array_size = 4}),
                 .precision = DataType::kInt8,
                 .input_shape = {6}});
  nn::Tensor inputs = random_tensor(2, 6, 1);
  inputs.values[3] = NAN;
  CHECK(std::isnan(model.compute_gradients(inputs, std::vector<std::int32_t>{0, 1}).loss));
}

}  // namespace systole::tests
