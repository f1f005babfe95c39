#include "host/nn/layers/batch_normalization.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "host/nn/layers/dense.h"
#include "tests/nn/layers/written_layer.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

constexpr std::size_t kChannels = 3;

struct Statistics {
  double mean[kChannels] = {}, variance[kChannels] = {};
};

Statistics statistics(const nn::Tensor& x) {
  Statistics result;
  const auto count = static_cast<double>(x.values.size() / kChannels);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    result.mean[i % kChannels] += x.values[i] / count;
  }
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double difference = x.values[i] - result.mean[i % kChannels];
    result.variance[i % kChannels] += difference * difference / count;
  }
  return result;
}

struct BuiltNormalization : WrittenLayer {
  explicit BuiltNormalization(const nn::BatchNormalization& options = {})
      : WrittenLayer(options, {2, 4, kChannels}) {
    CHECK(output_shape() == nn::Shape{2, 4, kChannels});
    parameters()[0].value = {1, 2, 0.5f};
    parameters()[1].value = {0, -1, 3};
  }
  nn::Tensor forward(const nn::Tensor& x, bool training) {
    return WrittenLayer::forward(x, {.training = training, .threads = 2});
  }
};

}  // namespace

TEST_CASE("batch normalisation gives each channel its mean and deviation", "[normalization]") {
  BuiltNormalization normalization({.epsilon = 1e-12f});
  nn::Tensor x = random_tensor(5, 24, 3);
  for (float& value : x.values) value = value * 4 + 10;
  const Statistics after = statistics(normalization.forward(x, true));
  const auto& parameters = normalization.parameters();
  for (std::size_t k = 0; k < kChannels; ++k) {
    CHECK(after.mean[k] == Approx(parameters[1].value[k]).margin(1e-5));
    CHECK(std::sqrt(after.variance[k]) == Approx(parameters[0].value[k]).epsilon(1e-4));
  }
}

TEST_CASE("batch normalisation's averages follow the batches, and are used outside training",
          "[normalization]") {
  BuiltNormalization normalization({.momentum = 0.75f});
  const nn::Tensor x = random_tensor(5, 24, 3);
  normalization.forward(x, true);
  normalization.forward(x, true);
  const Statistics batch = statistics(x);
  const auto& parameters = normalization.parameters();
  const double kept = 0.75 * 0.75;
  for (std::size_t k = 0; k < kChannels; ++k) {
    CHECK(parameters[2].value[k] == Approx((1 - kept) * batch.mean[k]).epsilon(1e-5));
    CHECK(parameters[3].value[k] == Approx(kept + (1 - kept) * batch.variance[k]).epsilon(1e-5));
  }
  const auto moving = parameters[2].value;
  const nn::Tensor y = normalization.forward(x, false);
  CHECK(parameters[2].value == moving);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const std::size_t k = i % kChannels;
    const double normal =
        (x.values[i] - parameters[2].value[k]) / std::sqrt(parameters[3].value[k] + 1e-3);
    CHECK(y.values[i] ==
          Approx(normal * parameters[0].value[k] + parameters[1].value[k]).margin(1e-5));
  }
}

TEST_CASE("optimizers leave untrained parameters alone", "[normalization]") {
  nn::Sequential model{nn::Dense{.units = 4}, nn::BatchNormalization{}, nn::Dense{.units = 2}};
  model.compile({.optimizer = nn::Sgd{.learning_rate = 100, .momentum = 0.9f},
                 .device = Device::open("cpu"),
                 .input_shape = {6}});
  const auto parameters = model.parameters();
  REQUIRE(parameters.size() == 8);
  REQUIRE(parameters[5]->name == "1.batchnormalization.moving_variance");
  model.train_batch(random_tensor(8, 6, 1), std::vector<std::int32_t>{0, 1, 0, 1, 0, 1, 0, 1});
  model.parameters();  // brings them to the host
  CHECK(parameters[2]->slots.size() == 1);
  for (const std::size_t moving : {4, 5}) {
    CHECK(parameters[moving]->slots.empty());
    CHECK(parameters[moving]->version == 2);
  }
}

TEST_CASE("batch normalisation refuses options out of range", "[normalization]") {
  CHECK_THROWS_WITH(write_layer(nn::BatchNormalization{.momentum = 1}, {4}),
                    Catch::Contains("momentum"));
  CHECK_THROWS_WITH(write_layer(nn::BatchNormalization{.epsilon = 0}, {4}),
                    Catch::Contains("epsilon"));
  CHECK_THROWS_WITH(write_layer(nn::BatchNormalization{}, {}), Catch::Contains("no dimensions"));
}

}  // namespace systole::tests
