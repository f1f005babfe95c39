// The four steps of a Cloud TPU notebook, in C++: connect, initialize, build inside the strategy,
// fit.
//
// Trains a small network on Fashion-MNIST (scripts/setup installs it, or see scripts/fetch_data) on
// 8 cores of the device model, a batch of 256 spread over them.
//
//   build/bin/four_steps                          all 60,000 samples, twice; minutes
//   build/bin/four_steps 2048                     the first 2,048; seconds
//   SYSTOLE_DEVICE=cpu:2 build/bin/four_steps     another device, another number of cores
//   mpirun -n 2 build/bin/four_steps 2048         16 cores in two processes
//
// Expect a loss that falls, about 0.85 accuracy on the test set after the two epochs, the same bits
// each time, and the clocks of a step.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <limits>

#include "host/data/datasets.h"
#include "host/distribute/strategy.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/training/sequential.h"

using namespace systole;
using namespace systole::nn;

void run(std::int64_t samples) {
  SplitDataset data = load_dataset("fashion-mnist");
  data.train = data.train.first(samples);
  data.test = data.test.first(samples);

  const auto resolver = Resolver::connect({.machine = {.threads = 2}, .cpu_if_none = true});
  const auto system = initialize(resolver);
  const Strategy strategy(system);
  auto model = strategy.scope(
      [] { return Sequential{Flatten{}, Dense{.units = 64}, Relu{}, Dense{.units = 10}}; });

  model.compile({.optimizer = Adam{.learning_rate = 0.002f}});
  const auto history = model.fit(data.train, {.epochs = 2, .batch_size = 256});
  const auto score = model.evaluate(data.test, {.batch_size = 256});

  if (!strategy.is_first_rank()) return;  // all ranks have the same results
  fmt::print("{}\n", system.description);
  for (const auto& epoch : history.epochs) {
    fmt::print("loss {:.4f}, accuracy {:.4f}, {:.1f} s\n", epoch.loss, epoch.accuracy,
               epoch.seconds);
  }
  fmt::print("test accuracy {:.4f}\n", score.accuracy);
  const StepTime& time = model.step_time();
  const double clock_mhz = system.cores.front().info().clock_mhz;
  if (clock_mhz == 0) return;  // the cpu has no device clock
  const auto steps = static_cast<double>(time.steps);
  fmt::print("a step: {:.3f} ms on the slowest core\n",
             1e3 * time.device_seconds(clock_mhz) / steps);
}

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? std::atoll(argv[1]) : std::numeric_limits<std::int64_t>::max());
    return 0;
  } catch (const std::exception& error) {
    std::fputs(fmt::format("four_steps: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
}
