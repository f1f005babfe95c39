#include <algorithm>
#include <catch2/catch.hpp>

#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/training/models.h"

namespace systole::tests {
namespace {

// Noise with unrelated labels: a model can only memorise it.
Dataset noise_images(const nn::Shape& shape) {
  Dataset data{.name = "noise", .sample_shape = shape, .inputs = {}, .labels = {}, .classes = 10};
  nn::Generator generator(6);
  for (std::int64_t i = 0; i < 32 * nn::size_of(shape); ++i) {
    data.inputs.push_back(generator.uniform());
  }
  for (int i = 0; i < 32; ++i)
    data.labels.push_back(static_cast<std::int32_t>(generator.below(10)));
  return data;
}

double memorized(const nn::Model& definition, const std::string& device) {
  const Dataset data = noise_images(definition.input_shape);
  nn::Sequential model(definition.layers);
  model.compile({.optimizer = nn::Adam{.learning_rate = 0.002f},
                 .device = Device::open(device, {.threads = 2})});
  const double before = model.evaluate(data).accuracy;
  CHECK(before < 0.5);
  model.fit(data, {.epochs = 60, .batch_size = 32});
  return model.evaluate(data).accuracy;
}

}  // namespace

TEST_CASE("every model of images overfits 32 images", "[memorize]") {
  const std::string device = GENERATE("cpu", "model");
  for (const std::string& name : nn::model_names()) {
    CAPTURE(device, name);
    const nn::Model model = nn::find_model(name);
    if (!model.is_of_text()) CHECK(memorized(model, device) == 1.0);
  }
}

TEST_CASE("a softmax layer with cross entropy of probabilities learns, as does squared error",
          "[memorize]") {
  const Dataset data = noise_images({6, 6, 1});
  const nn::Loss loss =
      GENERATE(nn::Loss(nn::CategoricalCrossEntropy{}), nn::Loss(nn::MeanSquaredError{}));
  nn::Sequential model{nn::Flatten{}, nn::Dense{.units = 64, .activation = nn::Function::kRelu},
                       nn::Dense{.units = 10, .activation = nn::Function::kSoftmax}};
  model.compile(
      {.loss = loss, .optimizer = nn::Adam{.learning_rate = 0.01f}, .device = Device::open("cpu")});
  model.fit(data, {.epochs = 200, .batch_size = 32});
  CHECK(model.evaluate(data).accuracy == 1.0);
}

}  // namespace systole::tests
