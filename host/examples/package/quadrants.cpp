// Learns whether two numbers have the same sign, on the device named on the command line.
//
//   build/quadrants              on model, a simulated 8 x 8 array
//   build/quadrants cpu
//
// Expect an accuracy of 0.95 or more, and from model the same loss, to the last bit, every time.
#include <cstdio>
#include <exception>
#include <string>

#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/numbers/generator.h"
#include "host/nn/training/sequential.h"

using namespace systole;

Dataset draw_points(std::int64_t count, std::uint64_t seed) {
  Dataset points{.name = "points", .sample_shape = {2}, .classes = 2};
  nn::Generator random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = random.uniform(-1, 1), y = random.uniform(-1, 1);
    points.inputs.insert(points.inputs.end(), {x, y});
    points.labels.push_back(x * y > 0);
  }
  return points;
}

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "model";
  try {
    const Device device = Device::open(name, {.array_size = 8});
    nn::Sequential model{nn::Dense{.units = 32}, nn::Relu{}, nn::Dense{.units = 2}};
    model.compile({.optimizer = nn::Adam{.learning_rate = 0.01f}, .device = device});
    model.fit(draw_points(4096, 1), {.epochs = 5, .batch_size = 64});
    const auto score = model.evaluate(draw_points(1024, 2));
    std::printf("loss %.9g, accuracy %.4f, %llu device clocks\n", score.loss, score.accuracy,
                static_cast<unsigned long long>(device.counters().cycles()));
    return score.accuracy >= 0.95 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quadrants: %s\n", error.what());
    return 1;
  }
}
