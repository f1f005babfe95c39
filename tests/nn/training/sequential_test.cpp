#include "host/nn/training/sequential.h"

#include <catch2/catch.hpp>

#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/training/models.h"
#include "tests/host/fake_backend.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {

TEST_CASE("compile infers the shapes, and summary prints them", "[sequential]") {
  const nn::Model mlp = nn::find_model("mnist-mlp");
  nn::Sequential model(mlp.layers);
  CHECK_THAT(model.summary(), Catch::Contains("not known yet"));
  model.compile({.device = Device::open("cpu"), .input_shape = mlp.input_shape});
  CHECK_THAT(model.summary(), Catch::Contains("784") && Catch::Contains("401,920") &&
                                  Catch::Contains("5,130") &&
                                  Catch::Contains("Total parameters: 407,050 (1.55 MiB in fp32)"));
  REQUIRE(model.parameters().size() == 4);
  CHECK(model.parameters()[0]->shape == nn::Shape{784, 512});
  CHECK(model.parameters()[3]->name == "3.dense.bias");
}

TEST_CASE("a non-trainable parameter keeps its value and is counted separately", "[sequential]") {
  nn::Sequential model = small_model(4, 3);
  model.compile({.device = Device::open("cpu"), .input_shape = {6}});
  nn::Parameter& frozen = *model.parameters()[0];
  frozen.trained = false;
  const auto before = frozen.value;
  const auto trained = model.parameters()[2]->value;
  model.train_batch(random_tensor(2, 6, 1), std::vector<std::int32_t>{0, 1});
  CHECK(frozen.value == before);
  CHECK(model.parameters()[2]->value != trained);
  CHECK_THAT(model.summary(), Catch::Contains("Total parameters: 43") &&
                                  Catch::Contains("\nTrained: 19") &&
                                  Catch::Contains("Not trained: 24"));
}

TEST_CASE("a layer's first weights do not depend on the layers after it", "[sequential]") {
  const auto first_weights = [](nn::Sequential model) {
    model.compile({.device = Device::open("cpu"), .input_shape = {6}, .seed = 3});
    return model.parameters()[0]->value;
  };
  CHECK(first_weights({nn::Dense{.units = 4}}) ==
        first_weights({nn::Dense{.units = 4}, nn::Relu{}, nn::Dense{.units = 9}}));
}

TEST_CASE("compiling again starts over", "[sequential]") {
  const Dataset data = small_data(16, 6, 3);
  nn::Sequential model = small_model(4, 3);
  const nn::CompileOptions options{.device = Device::open("cpu"), .input_shape = {6}};
  model.compile(options);
  const auto fresh = weight_bits(model);
  const auto losses = model.fit(data, {.batch_size = 8}).losses;
  CHECK(weight_bits(model) != fresh);
  model.compile(options);
  CHECK(weight_bits(model) == fresh);
  CHECK(model.fit(data, {.batch_size = 8}).losses == losses);
}

TEST_CASE("layers without parameters at the front get no gradient", "[sequential]") {
  nn::Sequential model{nn::Flatten{}, nn::Relu{}, nn::Dense{.units = 2}};
  model.compile({.device = Device::open("cpu"), .input_shape = {2, 2}});
  model.train_batch(random_tensor(3, 4, 1), std::vector<std::int32_t>{0, 1, 0});
  CHECK(model.processor_products().products == 2);  // forward and dW, no dX
}

TEST_CASE("a step of the two-layer network is five products", "[sequential]") {
  nn::Sequential model = small_model(4, 3);
  model.compile({.device = Device::open("cpu"), .input_shape = {6}});
  model.train_batch(random_tensor(5, 6, 1), std::vector<std::int32_t>{0, 1, 2, 0, 1});
  CHECK(model.processor_products().products == 5);
  CHECK(model.processor_products().macs == 5 * (2 * 6 * 4 + 3 * 4 * 3));
}

TEST_CASE("bit-exact devices give the same losses and weights, to the last bit", "[sequential]") {
  const Dataset data = small_data(45, 19, 3);
  check_bit_exact_devices([&](const std::string& device) {
    nn::Sequential model = small_model(17, 3);
    model.compile({.device = Device::open(device)});
    return fit(model, data, {.epochs = 2, .batch_size = 20});
  });
}

TEST_CASE("a compiled step of mnist-mlp uses 55 percent of the array in bf16, 30 in int8",
          "[sequential]") {
  const auto [precision, least] =
      GENERATE(std::pair(DataType::kBf16, 0.55), std::pair(DataType::kInt8, 0.30));
  const Device device = Device::open("model", {.array_size = 16});
  nn::Sequential model{nn::Dense{.units = 512}, nn::Relu{}, nn::Dense{.units = 10}};
  model.compile({.device = device, .precision = precision, .input_shape = {784}});
  model.train_batch(random_tensor(128, 784, 1), cyclic_labels(128, 10));
  CHECK(utilization(device.counters(), 16) >= least);
}

TEST_CASE("compile refuses what a model cannot be built from", "[sequential]") {
  const Device cpu = Device::open("cpu");
  nn::Sequential model{nn::Dense{.units = 2}};
  CHECK_THROWS_WITH(model.compile({.device = cpu, .input_shape = {2, 2, 2}}),
                    Catch::Contains("not one-dimensional"));
  CHECK_THROWS_WITH(model.compile({.optimizer = nn::Sgd{.learning_rate = 0}, .device = cpu}),
                    Catch::Contains("learning rate"));
  CHECK_THROWS_WITH(model.compile({.device = open_fake_device(), .precision = DataType::kFp32}),
                    Catch::Contains("'fake' does not multiply fp32"));
  CHECK_THROWS_WITH(nn::Sequential({}), Catch::Contains("at least one layer"));
  CHECK_THROWS_WITH(nn::find_model("resnet"),
                    Catch::Contains("resnet") && Catch::Contains("mnist-mlp"));
}

TEST_CASE("a compiled model refuses batches of another shape", "[sequential]") {
  nn::Sequential model = small_model(4, 3);
  model.compile({.device = Device::open("cpu"), .input_shape = {6}});
  const std::vector<std::int32_t> labels{0};
  CHECK_THROWS_WITH(model.train_batch(random_tensor(1, 5, 1), labels),
                    Catch::Contains("6 values") && Catch::Contains("1 x 5"));
  CHECK_THROWS_WITH(model.predict(random_tensor(0, 6, 1)), Catch::Contains("0 x 6"));
  CHECK_THROWS_WITH(model.train_batch(random_tensor(2, 6, 1), labels), Catch::Contains("1 labels"));
}

}  // namespace systole::tests
