// Trains the command line's networks in C++, for tests/bench/frameworks.py:
//
//   bench_steps DEVICE [--threads N] [--array N] [--batch-size N]
//
// Answers each line "MODEL STEPS" with "seconds WALL PROCESSOR", the means of that many steps with
// Adam on one random batch. A model's first line also compiles it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <iostream>
#include <map>
#include <random>
#include <string>

#include "host/device/device.h"
#include "host/nn/training/models.h"

namespace systole {
namespace {

struct Options {
  std::string device = "cpu";
  int threads = 1, array = 16;
  std::int64_t batch_size = 128;
};

class Training {
 public:
  Training(const std::string& name, const Device& device, const Options& options)
      : Training(nn::find_model(name), device, options) {}

  void step() { model_.train_batch(images_, labels_); }

 private:
  Training(const nn::Model& model, const Device& device, const Options& options)
      : model_(model.layers) {
    model_.compile({.optimizer = model.adam, .device = device, .input_shape = model.input_shape});
    images_.resize(options.batch_size, nn::size_of(model.input_shape));
    std::mt19937 random;
    for (float& pixel : images_.values) pixel = std::uniform_real_distribution<float>()(random);
    for (std::int64_t i = 0; i < options.batch_size; ++i) labels_.push_back(i % 10);
  }

  nn::Sequential model_;
  nn::Tensor images_;
  std::vector<std::int32_t> labels_;
};

void answer(const Options& options) {
  const Device device =
      Device::open(options.device, {.array_size = options.array, .threads = options.threads});
  std::map<std::string, Training> trainings;
  std::string name;
  int steps = 0;
  while (std::cin >> name >> steps) {
    Training& training = trainings.try_emplace(name, name, device, options).first->second;
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t processor = std::clock();  // of all threads
    for (int i = 0; i < steps; ++i) training.step();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const double used = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
    fmt::print("seconds {} {}\n", wall.count() / steps, used / steps);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace systole

int main(int argc, char** argv) {
  systole::Options options;
  CLI::App app("Steps of training, asked for line by line");
  app.add_option("device", options.device, "cpu, model")->required();
  app.add_option("--threads", options.threads);
  app.add_option("--array", options.array);
  app.add_option("--batch-size", options.batch_size);
  CLI11_PARSE(app, argc, argv);
  try {
    systole::answer(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_steps: {}\n", error.what());
    return 1;
  }
  return 0;
}
