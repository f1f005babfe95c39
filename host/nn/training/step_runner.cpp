#include "host/nn/training/step_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/compiler/program/step_program.h"
#include "host/cpu/program.h"
#include "host/device/backend.h"
#include "host/nn/training/graph_steps.h"
#include "host/nn/training/pjrt_steps.h"
#include "host/pjrt/pjrt_backend.h"
#include "systole/support/stopwatch.h"

namespace systole::nn {
namespace {

bool is_processor(const Device& device) { return device.info().name == "cpu"; }

class DeviceSteps final : public StepRunner {
 public:
  DeviceSteps(const TrainingGraph& graph, const Device& device, const Options& options)
      : device_(device),
        program_(*graph.graph, device.backend().memory(),
                 {.sizes = *device.backend().sizes(),
                  .most_steps = options.most_steps,
                  .resident = states_of(graph),
                  .quantization = quantization(options),
                  .core = options.core,
                  .slots = slots_of(graph),
                  .with_rows = graph.with_rows.get()}) {}

  void write_state(const std::string& input, std::span<const float> values) override {
    program_.write_state(input, values);
  }
  void read_state(const std::string& input, std::span<float> values) const override {
    program_.read_state(input, values);
  }
  lowering::SharedColumns shared(const std::string& input) const override {
    return program_.shared(input);
  }

  Feed prepare(std::span<const Input> inputs, const StepScalars& scalars) const override {
    Feed feed = program_.make_feed();
    for (const Input& input : inputs) {
      program_.set_batch(feed, input.name, input.values, input.count);
    }
    program_.set_random(feed, scalars.by_name());
    program_.set_scalars(feed, scalars.by_name());
    return feed;
  }
  void set_rate(Feed& feed, const StepScalars& scalars) const override {
    program_.set_scalars(feed, scalars.by_name());
  }

  void write(std::int64_t step, Feed feed) override {
    on_device_.time([&] { program_.write(step, feed); });
  }
  void run(std::int64_t steps) override {
    on_device_.time([&] { device_.backend().run(program_.program(steps)); });
  }
  PlacedProgram program(std::int64_t steps) override { return program_.program(steps); }
  void read_output(std::int64_t step, const std::string& output,
                   std::span<float> values) const override {
    program_.read_output(step, output, values.data(), std::ssize(values));
  }

  double device_seconds() const override { return on_device_.seconds(); }
  std::int64_t fed_bytes() const override { return program_.plan().fed_bytes; }
  Counters processor_products() const override { return {}; }

 private:
  static std::optional<lowering::Quantization> quantization(const Options& options) {
    if (options.precision != DataType::kInt8) return {};
    return lowering::Quantization{.seed = options.seed};
  }

  Device device_;
  lowering::StepProgram program_;
  Stopwatch on_device_;
};

/// State is vectors by input.
class ProcessorSteps final : public GraphSteps {
 public:
  ProcessorSteps(const TrainingGraph& graph, const Device& device, const Options& options)
      : GraphSteps(graph),
        program_(*graph.graph, device.info().threads),
        states_(inputs()),
        feeds_(static_cast<std::size_t>(options.most_steps)),
        results_(static_cast<std::size_t>(options.most_steps),
                 std::vector<std::vector<float>>(outputs())) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!is_state(i)) continue;
      states_[i].resize(static_cast<std::size_t>(input_elements(i)));
    }
    for (std::size_t i = 0; i < outputs(); ++i) {
      if (updated(i) >= 0) continue;
      const auto count = static_cast<std::size_t>(output_elements(i));
      for (auto& results : results_) results[i].resize(count);
    }
  }

  void write_state(const std::string& input, std::span<const float> values) override {
    std::ranges::copy(values, states_[place_of_state(input, values.size())].begin());
  }
  void read_state(const std::string& input, std::span<float> values) const override {
    std::ranges::copy(states_[place_of_state(input, values.size())], values.begin());
  }

  void write(std::int64_t step, Feed feed) override {
    feeds_.at(static_cast<std::size_t>(step)) = std::move(feed);
  }
  void run(std::int64_t steps) override {
    for (std::int64_t step = 0; step < steps; ++step) {
      std::vector<const void*> inputs;
      std::vector<void*> outputs;
      const Feed& feed = feeds_[static_cast<std::size_t>(step)];
      auto& results = results_[static_cast<std::size_t>(step)];
      for (std::size_t i = 0; i < states_.size(); ++i) {
        inputs.push_back(is_state(i) ? static_cast<const void*>(states_[i].data())
                                     : static_cast<const void*>(feed.data() + offset(i)));
      }
      for (std::size_t i = 0; i < results.size(); ++i) {
        const int state = updated(i);
        outputs.push_back(state < 0 ? results[i].data()
                                    : states_[static_cast<std::size_t>(state)].data());
      }
      program_.run(inputs, outputs);
    }
  }
  void read_output(std::int64_t step, const std::string& output,
                   std::span<float> values) const override {
    const auto& results = results_.at(static_cast<std::size_t>(step));
    const std::size_t place = place_of_output(output, values.size());
    const int state = updated(place);
    std::ranges::copy(state < 0 ? results[place] : states_[static_cast<std::size_t>(state)],
                      values.begin());
  }

  double device_seconds() const override { return program_.products().seconds; }
  Counters processor_products() const override {
    return {.products = program_.products().count, .macs = program_.products().macs};
  }

 private:
  graph::CpuProgram program_;
  std::vector<std::vector<float>> states_;  ///< by input; empty for what is fed
  std::vector<Feed> feeds_;
  std::vector<std::vector<std::vector<float>>> results_;  ///< by step and output
};

}  // namespace

DataType default_precision(const Device& device) {
  return is_processor(device) ? DataType::kFp32 : DataType::kBf16;
}

void need_precision(const Device& device, DataType precision) {
  const std::string& name = device.info().name;
  if (is_processor(device)) {
    if (precision == DataType::kFp32) return;
    throw std::invalid_argument(
        fmt::format("device 'cpu' computes steps in fp32, not {}: leave out the precision, or use "
                    "model",
                    to_string(precision)));
  }
  if (pjrt_client(device) != nullptr) {
    if (device.supports(precision)) return;
    throw std::invalid_argument(fmt::format("device '{}' computes steps in fp32 or bf16, not {}",
                                            name, to_string(precision)));
  }
  if (precision == DataType::kFp32 || !device.supports(precision)) {
    throw std::invalid_argument(fmt::format("device '{}' does not multiply {}: use bf16 or int8",
                                            name, to_string(precision)));
  }
  if (!device.backend().sizes()) {
    throw std::invalid_argument(
        fmt::format("device '{}' runs no programs of compiled steps: use model or rtl", name));
  }
}

PlacedProgram StepRunner::program(std::int64_t) {
  throw std::logic_error("this device runs no programs together with others");
}

std::unique_ptr<StepRunner> StepRunner::compile(const TrainingGraph& graph, const Device& device,
                                                const Options& options) {
  if (is_processor(device)) return std::make_unique<ProcessorSteps>(graph, device, options);
  if (const pjrt::Client* client = pjrt_client(device)) {
    return make_pjrt_steps(graph, *client, options);
  }
  try {
    return std::make_unique<DeviceSteps>(graph, device, options);
  } catch (const graph::GraphError& error) {
    throw graph::GraphError(fmt::format("{}; device '{}' cannot run this: use device cpu",
                                        error.what(), device.info().name));
  }
}

}  // namespace systole::nn
