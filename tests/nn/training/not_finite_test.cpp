#include "host/nn/training/not_finite.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
const std::vector<std::int32_t> kLabel{0};

nn::Sequential compiled(nn::Sequential model) {
  model.compile({.optimizer = nn::Sgd{.learning_rate = 1},
                 .device = Device::open("cpu"),
                 .input_shape = {2, 1}});
  return model;
}

void set(nn::Sequential& model, std::size_t parameter, std::size_t place, float value) {
  nn::Parameter& changed = *model.parameters()[parameter];
  changed.value[place] = value;
  ++changed.version;
}

}  // namespace

TEST_CASE("a NaN or infinity is found anywhere", "[not_finite]") {
  std::vector<float> values(37, std::numeric_limits<float>::max());
  values[5] = 0;
  CHECK(nn::all_finite(values));
  const std::size_t place = GENERATE(0, 16, 36);
  for (const float bad : {kNan, kInfinity, -kInfinity}) {
    auto with_bad = values;
    with_bad[place] = bad;
    CHECK_FALSE(nn::all_finite(with_bad));
  }
}

TEST_CASE("the first layer whose output is not finite is named, and nothing is updated",
          "[not_finite]") {
  nn::Sequential model =
      compiled({nn::Flatten{}, nn::Dense{.units = 4}, nn::Relu{}, nn::Dense{.units = 3}});
  const bool in_first = GENERATE(true, false);
  set(model, in_first ? 1 : 3, 0, kNan);
  const auto before = weight_bits(model);
  CHECK_THROWS_WITH(
      model.train_batch(random_tensor(1, 2, 1), kLabel),
      Catch::Contains("the loss is not a number") &&
          Catch::Contains(in_first ? "output of layer 1 (Dense)" : "output of layer 3 (Dense)"));
  CHECK(weight_bits(model) == before);
}

TEST_CASE("the step after a gradient that is not finite names the gradient's last layer",
          "[not_finite]") {
  nn::Sequential model = compiled({nn::Flatten{}, nn::Dense{.units = 1}, nn::Dense{.units = 3}});
  // The hidden value is 0, and so are the outputs; its gradient sums three large terms.
  for (const std::size_t place : {0, 1}) set(model, 0, place, 0);
  for (const std::size_t place : {0, 1, 2}) set(model, 2, place, place == 0 ? -3e38f : 3e38f);
  // A step reports its loss alone, so the next one shows what its update did.
  const auto before = weight_bits(model);
  CHECK(std::isfinite(model.train_batch(random_tensor(1, 2, 1), kLabel).loss));
  CHECK_THROWS_WITH(model.train_batch(random_tensor(1, 2, 1), kLabel),
                    Catch::Contains("gradient of layer 1 (Dense)"));
  CHECK(weight_bits(model) == before);
}

TEST_CASE("fit names the step at which a layer's output is no longer finite", "[not_finite]") {
  nn::Sequential model = small_model(3, 2);
  model.compile({.device = Device::open("cpu"), .input_shape = {4}});
  set(model, 3, 0, kNan);
  CHECK_THROWS_WITH(model.fit(small_data(24, 4, 2), {.batch_size = 8}),
                    Catch::Contains("layer 2 (Dense)") &&
                        Catch::Contains("at epoch 1, step 1: lower the learning rate"));
}

}  // namespace systole::tests
