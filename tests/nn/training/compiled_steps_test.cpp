// Sequential trained in whole steps on a device.
#include <catch2/catch.hpp>

#include "host/nn/callbacks/model_checkpoint.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/layers/pooling_2d.h"
#include "host/nn/training/checkpoint.h"
#include "host/nn/training/models.h"
#include "host/nn/training/sequential.h"
#include "host/nn/training/training_loop.h"
#include "tests/lowering/interpreted_device.h"
#include "tests/nn/training/stop_after.h"
#include "tests/support/random.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

using nn::Dense;
using nn::Sequential;

Dataset some_data(std::int64_t samples) {
  Random random(0x5eed'0de1);
  Dataset data{.name = "some", .sample_shape = {9}, .inputs = {}, .labels = {}};
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto label = static_cast<std::int32_t>(random.below(3));
    for (int k = 0; k < 9; ++k) {
      const float noise = static_cast<float>(random.below(1 << 10)) * 0x1p-10f;
      data.inputs.push_back(k % 3 == label ? noise + 1 : noise);
    }
    data.labels.push_back(label);
  }
  return data;
}

struct Trained {
  nn::History history;
  std::vector<std::vector<float>> weights;
  double accuracy = 0;
};
Trained train(const Device& device, std::int64_t steps_per_execution,
              DataType precision = DataType::kBf16, std::uint64_t seed = 1,
              std::int64_t epochs_a_fit = 3) {
  const Dataset data = some_data(13);
  Sequential model{Dense{.units = 6, .activation = nn::Function::kRelu}, Dense{.units = 3}};
  model.compile({.optimizer = nn::Adam{.learning_rate = 0.01f},
                 .schedule = nn::parse_schedule("exponential:0.5:4"),
                 .device = device,
                 .precision = precision,
                 .steps_per_execution = steps_per_execution,
                 .seed = seed});
  Trained trained;
  for (std::int64_t done = 0; done < 3; done += epochs_a_fit) {
    trained.history =
        model.fit(data, {.epochs = done + epochs_a_fit, .batch_size = 4, .initial_epoch = done});
  }
  for (const nn::Parameter* parameter : model.parameters())
    trained.weights.push_back(parameter->value);
  trained.accuracy = model.evaluate(data, {.batch_size = 4}).accuracy;
  return trained;
}

}  // namespace

TEST_CASE("compiled steps leave the same bits for any number of them an execution",
          "[compiled_steps]") {
  // 13 samples in batches of 4: the last of each epoch has one row, so a program of its own.
  const Trained one = train(open_interpreted_device(4), 1);
  CHECK(one.history.losses.size() == 12);
  for (const std::int64_t steps : {2, 3, 100}) {
    CAPTURE(steps);
    const Trained some = train(open_interpreted_device(4), steps);
    CHECK(some.history.losses == one.history.losses);
    CHECK(some.weights == one.weights);
    CHECK(some.accuracy == one.accuracy);
  }
}

TEST_CASE("an epoch that is gathered while the one before ends is the same", "[compiled_steps]") {
  // In int8 each step rounds by its own number.
  for (const DataType precision : {DataType::kBf16, DataType::kInt8}) {
    const Trained together = train(open_interpreted_device(4), 3, precision);
    const Trained one_by_one = train(open_interpreted_device(4), 3, precision, 1, 1);
    CHECK(together.weights == one_by_one.weights);
    CHECK(together.history.losses.back() == one_by_one.history.losses.back());
  }
}

TEST_CASE("a learning rate that changes after a batch was prepared is the batch's",
          "[compiled_steps]") {
  struct Halve : nn::Callback {
    void on_epoch_end(nn::FitState& state) override {
      state.model.set_learning_rate(state.model.learning_rate() / 2);
    }
  };
  const Dataset data = some_data(13);
  const auto fit = [&](std::int64_t epochs_a_fit) {
    Sequential model{Dense{.units = 3}};
    model.compile({.device = open_interpreted_device(4), .steps_per_execution = 4});
    Halve halve;
    for (std::int64_t done = 0; done < 3; done += epochs_a_fit) {
      model.fit(data, {.epochs = done + epochs_a_fit,
                       .batch_size = 4,
                       .initial_epoch = done,
                       .callbacks = {&halve}});
    }
    return model.parameters().front()->value;
  };
  // With an epoch in each fit, none is prepared before the rate is halved.
  CHECK(fit(3) == fit(1));
}

TEST_CASE("compiled steps go on from any step of an epoch", "[compiled_steps]") {
  // After three of four steps only the short batch is left, and then comes an epoch of long ones.
  const Dataset data = some_data(13);
  const TemporaryFolder folder;
  const auto fit = [&](nn::FitOptions options) {
    Sequential model{Dense{.units = 3}};
    model.compile({.device = open_interpreted_device(4), .steps_per_execution = 1});
    options.epochs = 2;
    options.batch_size = 4;
    return model.fit(data, options).losses;
  };
  const auto whole = fit({});
  for (std::int64_t steps = 1; steps <= 4; ++steps) {
    CAPTURE(steps);
    StopAfter stop(steps);
    nn::ModelCheckpoint checkpoint({.path = folder.file("part")});
    fit({.callbacks = {&stop, &checkpoint}});
    const auto saved = nn::Checkpoint::load(folder.file("part"));
    CHECK(fit({.resume = &saved}) == whole);
  }
}

namespace {

/// How many doorbells a hundred steps of one sample each take.
std::uint64_t doorbells(const Device& device, const std::vector<nn::Layer>& layers,
                        const Dataset& data, DataType precision) {
  Sequential model(layers);
  model.compile({.device = device, .precision = precision, .steps_per_execution = 100});
  const std::uint64_t before = device.counters().programs;
  const auto history = model.fit(data, {.batch_size = 1});
  CHECK(history.losses.size() == 100);
  return device.counters().programs - before;
}

}  // namespace

TEST_CASE("a hundred compiled steps are one doorbell, in bf16 and int8", "[compiled_steps]") {
  const std::vector<nn::Layer> layers = {Dense{.units = 6, .activation = nn::Function::kRelu},
                                         Dense{.units = 3}};
  for (const DataType precision : {DataType::kBf16, DataType::kInt8}) {
    CAPTURE(to_string(precision));
    const Device device = open_interpreted_device(4);
    CHECK(doorbells(device, layers, some_data(100), precision) == 1);
    CHECK(doorbells(device, layers, some_data(100), precision) == 1);
  }
}

// Takes minutes, so it runs when asked for: compiled_steps_test "[named]".
TEST_CASE("a hundred compiled steps of every named model are one doorbell", "[.][named]") {
  for (const std::string& name : nn::model_names()) {
    const nn::Model named = nn::find_model(name);
    Random random(0x5eed'0de2);
    const bool is_text = named.is_of_text();
    Dataset data{.name = "some",
                 .sample_shape = named.input_shape,
                 .inputs = {},
                 .labels = {},
                 .labels_per_sample = is_text ? named.input_shape[0] : 1};
    for (int i = 0; i < 100; ++i) {
      for (std::int64_t k = 0; k < nn::size_of(named.input_shape); ++k) {
        data.inputs.push_back(is_text ? static_cast<float>(random.below(27))
                                      : static_cast<float>(random.below(1 << 10)) * 0x1p-10f);
      }
      for (std::int64_t k = 0; k < data.labels_per_sample; ++k) {
        data.labels.push_back(static_cast<std::int32_t>(random.below(10)));
      }
    }
    for (const DataType precision : {DataType::kBf16, DataType::kInt8}) {
      CAPTURE(name, to_string(precision));
      CHECK(doorbells(open_interpreted_device(16), named.layers, data, precision) == 1);
    }
  }
}

TEST_CASE("compiled steps in int8 leave the same bits for any number of them an execution",
          "[compiled_steps]") {
  const Trained one = train(open_interpreted_device(4), 1, DataType::kInt8);
  const Trained some = train(open_interpreted_device(4), 5, DataType::kInt8);
  CHECK(some.history.losses == one.history.losses);
  CHECK(some.weights == one.weights);
  CHECK(some.accuracy == one.accuracy);
  CHECK(train(open_interpreted_device(16), 5, DataType::kInt8).history.losses.front() ==
        Approx(one.history.losses.front()));
}

TEST_CASE("compiled steps train as the same steps in fp32 on cpu", "[compiled_steps]") {
  const Trained cpu = train(Device::open("cpu"), 3, DataType::kFp32);
  for (const auto& [precision, epsilon] :
       {std::pair{DataType::kBf16, 0.01}, {DataType::kInt8, 0.05}}) {
    CAPTURE(to_string(precision));
    const Trained device = train(open_interpreted_device(16), 3, precision);
    for (std::size_t i = 0; i < cpu.history.losses.size(); ++i) {
      CAPTURE(i);
      CHECK(device.history.losses[i] == Approx(cpu.history.losses[i]).epsilon(epsilon));
    }
    CHECK(device.history.losses != cpu.history.losses);
    CHECK(device.accuracy == cpu.accuracy);
    CHECK(device.history.losses.back() < 0.9 * device.history.losses.front());
  }
}

TEST_CASE("cpu leaves the same bits for any number of steps a launch", "[compiled_steps]") {
  const Trained one = train(Device::open("cpu"), 1, DataType::kFp32);
  for (const std::int64_t steps : {2, 100}) {
    const Trained some = train(Device::open("cpu"), steps, DataType::kFp32);
    CHECK(some.history.losses == one.history.losses);
    CHECK(some.weights == one.weights);
  }
}

TEST_CASE("gradients, outputs and scores of a device follow its training", "[compiled_steps]") {
  const Dataset data = some_data(8);
  const nn::Tensor inputs{.rows = 8, .row_size = 9, .values = data.inputs};
  const auto run = [&](const Device& device) {
    Sequential model{Dense{.units = 6, .activation = nn::Function::kTanh}, Dense{.units = 3}};
    model.compile({.optimizer = nn::Sgd{.learning_rate = 0.1f}, .device = device});
    model.fit(data, {.epochs = 2, .batch_size = 4});
    std::vector<float> values = model.predict(inputs).values;
    values.push_back(static_cast<float>(model.compute_gradients(inputs, data.labels).loss));
    for (const nn::Parameter* parameter : model.parameters()) {
      values.insert(values.end(), parameter->gradient.begin(), parameter->gradient.end());
    }
    // A step after them starts from the weights that they saw.
    values.push_back(static_cast<float>(model.train_batch(inputs, data.labels).loss));
    values.push_back(static_cast<float>(model.evaluate(data, {.batch_size = 3}).loss));
    return values;
  };
  const std::vector<float> device = run(open_interpreted_device(4)), cpu = run(Device::open("cpu"));
  REQUIRE(device.size() == cpu.size());
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    CAPTURE(i);
    CHECK(device[i] == Approx(cpu[i]).epsilon(0.02).margin(5e-3));
  }
}

TEST_CASE("a step that the device cannot run is refused with its layer and what to use",
          "[compiled_steps]") {
  const auto train_one = [](const nn::CompileOptions& options, std::vector<nn::Layer> layers) {
    layers.push_back(Dense{.units = 3});
    Sequential model(layers);
    model.compile(options);
    const nn::Tensor image{.rows = 1, .row_size = 64, .values = std::vector<float>(64)};
    model.train_batch(image, std::vector<std::int32_t>{0});
  };
  nn::CompileOptions options{.device = open_interpreted_device(4), .input_shape = {8, 8, 1}};
  const nn::AveragePooling2D overlapping{.pool = {3, 3}, .strides = {{1, 1}}};
  CHECK_THROWS_WITH(train_one(options, {overlapping, nn::Flatten{}}),
                    Catch::StartsWith("0.averagepooling2d: ") && Catch::Contains("use device cpu"));
  options.steps_per_execution = 0;
  CHECK_THROWS_WITH(train_one(options, {nn::Flatten{}}),
                    Catch::Contains("steps_per_execution is 0, not >= 1"));
  options.steps_per_execution = 2;
  options.precision = DataType::kFp32;
  CHECK_THROWS_WITH(train_one(options, {nn::Flatten{}}), Catch::Contains("does not multiply fp32"));
  options.device = Device::open("cpu");
  train_one(options, {overlapping, nn::Flatten{}});
  options.precision = DataType::kBf16;
  CHECK_THROWS_WITH(train_one(options, {nn::Flatten{}}),
                    Catch::Contains("computes steps in fp32, not bf16"));
}

}  // namespace systole::tests
