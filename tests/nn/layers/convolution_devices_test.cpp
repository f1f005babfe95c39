#include <catch2/catch.hpp>

#include "host/nn/layers/batch_normalization.h"
#include "host/nn/layers/conv2d.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/dropout.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/layers/pooling_2d.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

// Two epochs of a small network with every kind of layer that fashion-cnn and cifar10-cnn have.
Trained train_on(const std::string& device, int array_size) {
  Dataset data = small_data(9, 6 * 5 * 2, 3);
  data.sample_shape = {6, 5, 2};
  nn::Sequential model{
      nn::Conv2D{.filters = 5, .padding = nn::Padding::kSame},
      nn::MaxPooling2D{},
      nn::BatchNormalization{},
      nn::Relu{},
      nn::Conv2D{.filters = 3, .kernel = {2, 2}, .activation = nn::Function::kTanh},
      nn::Flatten{},
      nn::Dropout{.rate = 0.25f},
      nn::Dense{.units = 3}};
  model.compile({.device = Device::open(device, {.array_size = array_size})});
  return fit(model, data, {.epochs = 2, .batch_size = 5});
}

}  // namespace

TEST_CASE("bit-exact devices train a convolutional network to the same bits", "[conv2d]") {
  const Trained on_cpu = train_on("cpu", 16);
  check_bit_exact_devices([&](const std::string& device) {
    const Trained trained = train_on(device, 4);
    REQUIRE(trained.losses.size() == on_cpu.losses.size());
    for (std::size_t i = 0; i < trained.losses.size(); ++i) {
      CHECK(trained.losses[i] == Approx(on_cpu.losses[i]).epsilon(0.02));
    }
    return trained;
  });
}

}  // namespace systole::tests
