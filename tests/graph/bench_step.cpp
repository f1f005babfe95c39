// Times whole training steps as one graph beside the layers of host/nn, in pairs, so that what else
// the machine does falls on both.
//
//   graph_bench [pairs]      batch 128, Adam, 1 and 2 threads
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "host/nn/training/models.h"
#include "step_runner.h"
#include "tests/nn/training/small_model.h"

using namespace systole;

namespace {

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void compare(const std::string& name, int threads, int pairs) {
  constexpr std::int64_t kBatch = 128;
  nn::Model named = nn::find_model(name, 0.4f);
  nn::Sequential model(named.layers);
  model.compile({.optimizer = named.adam,
                 .device = Device::open("cpu", {.threads = threads}),
                 .input_shape = named.input_shape});
  graph::Shape images = named.input_shape;
  images.insert(images.begin(), kBatch);
  tests::StepRunner runner(tests::graph_layers(name, 0.4), images, {.optimizer = graph::Adam{}},
                           threads);
  runner.copy_from(model);
  const nn::Tensor x = tests::random_tensor(kBatch, graph::element_count(named.input_shape), 1);
  const std::vector<std::int32_t> labels(kBatch, 1);
  std::vector<double> layers, graph, ratios;
  for (int i = -2; i < pairs; ++i) {  // two to warm up
    const double a = milliseconds([&] { model.train_batch(x, labels); });
    const double b = milliseconds([&] { runner.run(x.values, labels, 1e-3f); });
    if (i < 0) continue;
    layers.push_back(a);
    graph.push_back(b);
    ratios.push_back(a / b);
  }
  fmt::print(
      "{:12} {} threads: layers {:7.2f} ms, graph {:7.2f} ms, layers / graph {:.2f}; {} kernels, "
      "{:.1f} MB\n",
      name, threads, median(layers), median(graph), median(ratios), runner.program().kernel_count(),
      static_cast<double>(runner.program().memory_bytes()) / 1e6);
}

}  // namespace

int main(int count, char** arguments) {
  const int pairs = count > 1 ? std::atoi(arguments[1]) : 15;
  for (const char* model : {"mnist-mlp", "fashion-cnn", "cifar10-cnn"}) {
    for (const int threads : {1, 2}) compare(model, threads, pairs);
  }
}
