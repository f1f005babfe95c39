// Whole training steps on every device that has clocks.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "host/device/registry.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/batch_normalization.h"
#include "host/nn/layers/conv2d.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/dropout.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/layers/pooling_2d.h"
#include "host/nn/training/models.h"
#include "host/nn/training/sequential.h"
#include "tests/nn/translation/small_translator.h"
#include "tests/support/random.h"

namespace systole {
namespace {

constexpr int kArraySize = 4;
constexpr std::int64_t kFeatures = 21, kClasses = 5, kBatch = 8;

Dataset some_data(std::int64_t samples, const nn::Shape& shape) {
  tests::Random random(0x5eed'57e9);
  Dataset data{.name = "some", .sample_shape = shape, .inputs = {}, .labels = {}};
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto label = static_cast<std::int32_t>(random.below(kClasses));
    for (int k = 0; k < kFeatures; ++k) {
      const float noise = static_cast<float>(random.below(1 << 10)) * 0x1p-10f;
      data.inputs.push_back(k % kClasses == label ? noise + 1 : noise);
    }
    data.labels.push_back(label);
  }
  return data;
}

struct Trained {
  std::vector<double> losses;
  std::vector<std::vector<float>> weights;
  Counters counters;
  std::optional<CheckCoverage> check;
};
Trained train(const char* device_name, const std::vector<nn::Layer>& layers,
              const nn::Optimizer& optimizer, std::int64_t together,
              const nn::Shape& shape = {kFeatures}, DataType precision = DataType::kBf16,
              double check_per_mille = 0) {
  const Device device =
      Device::open(device_name, {.array_size = kArraySize, .check_per_mille = check_per_mille});
  nn::Sequential model(layers);
  model.compile({.optimizer = optimizer,
                 .schedule = nn::parse_schedule("exponential:0.5:4"),
                 .clip_norm = 1.0f,
                 .device = device,
                 .precision = precision,
                 .steps_per_execution = together,
                 .input_shape = shape});
  Trained trained;
  trained.losses =
      model.fit(some_data(3 * kBatch, shape), {.epochs = 1, .batch_size = kBatch}).losses;
  for (const nn::Parameter* parameter : model.parameters()) {
    trained.weights.push_back(parameter->value);
  }
  trained.counters = device.counters();
  trained.check = device.check_coverage();
  return trained;
}

}  // namespace

const std::vector<nn::Layer> kDense = {nn::Dense{.units = 13, .activation = nn::Function::kRelu},
                                       nn::Dense{.units = kClasses}};

TEST_CASE(
    "three compiled steps have the same losses, weights and counters on rtl, systemc and model",
    "[compiled_steps]") {
  const nn::Optimizer optimizers[] = {nn::Adam{.learning_rate = 0.01f},
                                      nn::Sgd{.learning_rate = 0.1f, .momentum = 0.9f}};
  for (const nn::Optimizer& optimizer : optimizers) {
    INFO(describe(optimizer));
    const Trained model = train("model", kDense, optimizer, 3);
    CHECK(model.losses.size() == 3);
    CHECK(model.losses.back() < model.losses.front());
    CHECK(model.counters.programs == 1);
    CHECK(model.counters.macs > 0);
    CHECK(model.counters[device::Count::kVectorBusy] > 0);
    for (const char* name : {"rtl", "systemc"}) {
      INFO(name);
      const Trained other = train(name, kDense, optimizer, 3);
      CHECK(other.losses == model.losses);
      CHECK(other.weights == model.weights);
      CHECK(other.counters == model.counters);
    }
    // Several executions, of one step and of two and one: nothing of a program shows in the next.
    for (const std::int64_t together : {1, 2}) {
      INFO(together << " steps together");
      const Trained counted = train("model", kDense, optimizer, together);
      const Trained apart = train("rtl", kDense, optimizer, together);
      CHECK(apart.losses == model.losses);
      CHECK(apart.weights == model.weights);
      CHECK(apart.counters.programs == (together == 1 ? 3 : 2));
      CHECK(apart.counters == counted.counters);
    }
  }
}

TEST_CASE("compiled steps that are checked on rtl train as unchecked ones", "[compiled_steps]") {
  const nn::Adam optimizer{.learning_rate = 0.01f};
  for (const std::int64_t together : {1, 2, 3}) {
    INFO(together << " steps together");
    const Trained plain = train("model", kDense, optimizer, together);
    const Trained checked =
        train("model", kDense, optimizer, together, {kFeatures}, DataType::kBf16, 1000);
    CHECK(checked.losses == plain.losses);
    CHECK(checked.weights == plain.weights);
    CHECK(checked.counters == plain.counters);
    REQUIRE(checked.check.has_value());
    CHECK(checked.check->reference == "rtl");
    CHECK(checked.check->programs == plain.counters.programs);
    CHECK(checked.check->checked_programs == checked.check->programs);
    CHECK(checked.check->cycles == plain.counters.cycles());
    CHECK(checked.check->checked_macs == plain.counters.macs);
  }
}

// Convolutions with and without cut kernels, both poolings, normalisation and dropout.
TEST_CASE("compiled steps of a convolutional network are the same on rtl, systemc and model",
          "[compiled_steps]") {
  struct Case {
    nn::Shape shape;
    nn::Size2D pool, kernel;
  };
  // Rows that fill no window: in groups smaller and larger than an instruction's words.
  for (const Case& one : {Case{{7, 3, 1}, {2, 2}, {2, 1}}, Case{{21, 1, 1}, {2, 1}, {3, 1}}}) {
    INFO(nn::to_string(one.shape));
    const std::vector<nn::Layer> layers = {nn::Conv2D{.filters = 4, .padding = nn::Padding::kSame},
                                           nn::MaxPooling2D{.pool = one.pool},
                                           nn::BatchNormalization{},
                                           nn::Relu{},
                                           nn::Conv2D{.filters = 8, .kernel = one.kernel},
                                           nn::Relu{},
                                           nn::Flatten{},
                                           nn::Dropout{.rate = 0.25f},
                                           nn::Dense{.units = kClasses}};
    const nn::Adam optimizer{.learning_rate = 0.01f};
    const Trained model = train("model", layers, optimizer, 3, one.shape);
    CHECK(model.losses.size() == 3);
    for (const char* name : {"rtl", "systemc"}) {
      INFO(name);
      const Trained other = train(name, layers, optimizer, 3, one.shape);
      CHECK(other.losses == model.losses);
      CHECK(other.weights == model.weights);
      CHECK(other.counters == model.counters);
    }
  }
}

namespace {

// Batches of products, transposes, a causal mask, softmax, normalisations, GELU, a tied weight.
Trained train_gpt(const char* device_name, int array_size) {
  const nn::Gpt gpt{
      .words = 7, .context = 6, .units = std::int64_t{2} * array_size, .heads = 2, .blocks = 1};
  tests::Random random(0x5eed'6e7b);
  Dataset data{.name = "some",
               .sample_shape = {gpt.context},
               .inputs = {},
               .labels = {},
               .labels_per_sample = gpt.context};
  for (std::int64_t i = 0; i < 9 * gpt.context; ++i) {
    data.inputs.push_back(static_cast<float>(random.below(static_cast<std::uint32_t>(gpt.words))));
    data.labels.push_back(
        static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(gpt.words))));
  }
  const Device device = Device::open(device_name, {.array_size = array_size});
  nn::Sequential model(nn::gpt_layers(gpt));
  model.compile({.optimizer = nn::adam_w(0.01f),
                 .schedule = nn::parse_schedule("cosine:10:0:2"),
                 .clip_norm = 1.0f,
                 .device = device,
                 .steps_per_execution = 3});
  Trained trained{.losses = model.fit(data, {.epochs = 1, .batch_size = 3}).losses,
                  .weights = {},
                  .counters = {},
                  .check = {}};
  for (const nn::Parameter* parameter : model.parameters()) {
    trained.weights.push_back(parameter->value);
  }
  trained.counters = device.counters();
  return trained;
}

void check_same(const Trained& other, const Trained& model) {
  CHECK(other.losses == model.losses);
  CHECK(other.weights == model.weights);
  CHECK(other.counters == model.counters);
}

}  // namespace

TEST_CASE("three compiled steps of a GPT are the same on systemc and model", "[compiled_steps]") {
  check_same(train_gpt("systemc", kArraySize), train_gpt("model", kArraySize));
}

TEST_CASE("three compiled steps of a GPT are the same on rtl and model at every N",
          "[compiled_steps]") {
  for (const BackendEntry& entry : backends()) {
    if (entry.info.name != "rtl") continue;
    for (const int array_size : entry.array_sizes) {
      CAPTURE(array_size);
      const Trained model = train_gpt("model", array_size);
      CHECK(model.losses.size() == 3);
      CHECK(model.counters.programs == 1);
      check_same(train_gpt("rtl", array_size), model);
    }
  }
}

TEST_CASE("compiled steps in int8 are the same on rtl, systemc and model", "[compiled_steps]") {
  const std::vector<nn::Layer> convolutional = {
      nn::Conv2D{.filters = 4, .padding = nn::Padding::kSame},
      nn::MaxPooling2D{},
      nn::BatchNormalization{},
      nn::Relu{},
      nn::Conv2D{.filters = 8, .kernel = {2, 1}},
      nn::Relu{},
      nn::Flatten{},
      nn::Dropout{.rate = 0.25f},
      nn::Dense{.units = kClasses}};
  const nn::Adam optimizer{.learning_rate = 0.01f};
  for (const bool has_images : {false, true}) {
    INFO(has_images);
    const auto& layers = has_images ? convolutional : kDense;
    const nn::Shape shape = has_images ? nn::Shape{7, 3, 1} : nn::Shape{kFeatures};
    const auto run = [&](const char* name) {
      return train(name, layers, optimizer, 3, shape, DataType::kInt8);
    };
    const Trained model = run("model");
    CHECK(model.losses.size() == 3);
    CHECK(model.counters.programs == 1);
    for (const char* name : {"rtl", "systemc"}) {
      INFO(name);
      const Trained other = run(name);
      CHECK(other.losses == model.losses);
      CHECK(other.weights == model.weights);
      CHECK(other.counters == model.counters);
    }
  }
}

// As many features as samples, strides, average poolings, and rows of more than 8 N classes.
TEST_CASE("compiled steps with averages, strides and long rows are the same on rtl and model",
          "[compiled_steps]") {
  const nn::Shape shape = {7, 3, 1};
  const std::vector<nn::Layer> layers = {
      nn::Conv2D{.filters = kBatch, .padding = nn::Padding::kSame},
      nn::BatchNormalization{.momentum = 0.9f},
      nn::Relu{},
      nn::Conv2D{.filters = 6, .strides = {2, 2}, .padding = nn::Padding::kSame},
      nn::AveragePooling2D{},
      nn::Flatten{},
      nn::Dense{.units = kBatch},
      nn::BatchNormalization{.momentum = 0.9f},
      nn::Dense{.units = 8 * kArraySize + 1}};
  const nn::Sgd optimizer{.learning_rate = 0.1f};
  const Trained model = train("model", layers, optimizer, 3, shape);
  CHECK(model.losses.size() == 3);
  const Trained other = train("rtl", layers, optimizer, 3, shape);
  CHECK(other.losses == model.losses);
  CHECK(other.weights == model.weights);
  CHECK(other.counters == model.counters);
}

namespace {

Trained train_translator(const char* device_name, DataType precision) {
  const Device device = Device::open(device_name, {.array_size = kArraySize});
  const auto pairs = tests::small_pairs(9, 2, 9);
  nn::Translator translator = tests::small_translator(device, 9, 5, 1, 3, precision);
  Trained trained;
  trained.losses = translator.fit(pairs, {.epochs = 1, .batch_size = 3}).losses;
  trained.counters = device.counters();
  for (const nn::Parameter* parameter : translator.parameters()) {
    trained.weights.push_back(parameter->value);
  }
  return trained;
}

}  // namespace

// Recurrent units, attention, embeddings; widths that fill no word of lanes.
TEST_CASE("compiled steps of a translator are the same on rtl, systemc and model",
          "[compiled_steps]") {
  const DataType precision = GENERATE(DataType::kBf16, DataType::kInt8);
  INFO(to_string(precision));
  const Trained model = train_translator("model", precision);
  CHECK(model.losses.size() == 3);
  CHECK(model.losses.back() < model.losses.front());
  CHECK(model.counters.programs == 1);
  for (const char* name : {"rtl", "systemc"}) {
    INFO(name);
    const Trained other = train_translator(name, precision);
    CHECK(other.losses == model.losses);
    CHECK(other.weights == model.weights);
    CHECK(other.counters == model.counters);
  }
}

}  // namespace systole
