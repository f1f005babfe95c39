#include "host/nn/training/step_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "host/compiler/program/step_program.h"
#include "host/cpu/program.h"
#include "host/device/backend.h"
#include "host/nn/training/pjrt_steps.h"
#include "host/pjrt/pjrt_backend.h"

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
                  .quantization = quantization(options)}) {}

  void write_state(const std::string& input, std::span<const float> values) override {
    program_.write_state(input, values);
  }
  void read_state(const std::string& input, std::span<float> values) const override {
    program_.read_state(input, values);
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
    timed([&] { program_.write(step, feed); });
  }
  void run(std::int64_t steps) override {
    timed([&] { device_.backend().run(program_.program(steps)); });
  }
  void read_output(std::int64_t step, const std::string& output,
                   std::span<float> values) const override {
    program_.read_output(step, output, values.data(), std::ssize(values));
  }

  double device_seconds() const override { return seconds_; }
  std::int64_t fed_bytes() const override { return program_.plan().fed_bytes; }
  Counters processor_products() const override { return {}; }

 private:
  static std::optional<lowering::Quantization> quantization(const Options& options) {
    if (options.precision != DataType::kInt8) return {};
    return lowering::Quantization{.seed = options.seed};
  }

  template <typename Work>
  void timed(const Work& work) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    work();
    seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  }

  Device device_;
  lowering::StepProgram program_;
  double seconds_ = 0;
};

/// State is vectors by input; a feed has the other inputs one after the other.
class ProcessorSteps final : public StepRunner {
 public:
  ProcessorSteps(const TrainingGraph& graph, const Device& device, const Options& options)
      : graph_(*graph.graph),
        program_(graph_, device.info().threads),
        states_(graph_.inputs().size()),
        offsets_(graph_.inputs().size(), -1),
        feeds_(static_cast<std::size_t>(options.most_steps)),
        results_(static_cast<std::size_t>(options.most_steps),
                 std::vector<std::vector<float>>(graph_.outputs().size())) {
    const std::set<std::string> resident = states_of(graph);
    updated_.resize(graph_.outputs().size(), -1);
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      const graph::Input& input = graph_.inputs()[i];
      const std::int64_t count = count_of(input);
      if (input.updated_by >= 0) {
        updated_[static_cast<std::size_t>(input.updated_by)] = static_cast<int>(i);
      }
      if (input.updated_by >= 0 || resident.contains(input.name)) {
        states_[i].resize(static_cast<std::size_t>(count));
      } else {
        offsets_[i] = fed_bytes_;
        fed_bytes_ += (count * 4 + kAlignment - 1) / kAlignment * kAlignment;
      }
    }
    for (std::size_t i = 0; i < updated_.size(); ++i) {
      if (updated_[i] >= 0) continue;
      const std::int64_t count = graph::element_count(graph_.type(graph_.outputs()[i].value).shape);
      for (auto& results : results_) results[i].resize(static_cast<std::size_t>(count));
    }
  }

  void write_state(const std::string& input, std::span<const float> values) override {
    std::ranges::copy(values, state(input, values.size()).begin());
  }
  void read_state(const std::string& input, std::span<float> values) const override {
    std::ranges::copy(const_cast<ProcessorSteps*>(this)->state(input, values.size()),
                      values.begin());
  }

  Feed prepare(std::span<const Input> inputs, const StepScalars& scalars) const override {
    Feed feed(static_cast<std::size_t>(fed_bytes_));
    for (const Input& input : inputs) put(feed, input);
    set_rate(feed, scalars);
    return feed;
  }
  void set_rate(Feed& feed, const StepScalars& scalars) const override {
    for (const auto& [name, value] : scalars.by_name()) {
      const auto scalar = static_cast<float>(value);
      if (find(name) < graph_.inputs().size()) put(feed, {name, &scalar, 1});
    }
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
        inputs.push_back(offsets_[i] >= 0 ? static_cast<const void*>(feed.data() + offsets_[i])
                                          : states_[i].data());
      }
      for (std::size_t i = 0; i < updated_.size(); ++i) {
        outputs.push_back(updated_[i] < 0 ? results[i].data()
                                          : states_[static_cast<std::size_t>(updated_[i])].data());
      }
      program_.run(inputs, outputs);
    }
  }
  void read_output(std::int64_t step, const std::string& output,
                   std::span<float> values) const override {
    const auto found = std::ranges::find(graph_.outputs(), output, &graph::Output::name);
    const auto place = static_cast<std::size_t>(found - graph_.outputs().begin());
    const auto& results = results_.at(static_cast<std::size_t>(step));
    const std::vector<float>* result = nullptr;
    if (place < results.size()) {
      const int input = updated_[place];
      result = input < 0 ? &results[place] : &states_[static_cast<std::size_t>(input)];
    }
    if (result == nullptr || result->size() != values.size()) {
      throw std::invalid_argument(
          fmt::format("{} is not an output of {} elements", output, values.size()));
    }
    std::ranges::copy(*result, values.begin());
  }

  double device_seconds() const override { return program_.products().seconds; }
  std::int64_t fed_bytes() const override { return 0; }
  Counters processor_products() const override {
    return {.products = program_.products().count, .macs = program_.products().macs};
  }

 private:
  static constexpr std::int64_t kAlignment = 64;

  std::int64_t count_of(const graph::Input& input) const {
    return graph::element_count(graph_.type(input.value).shape);
  }
  std::size_t find(const std::string& name) const {
    const auto found = std::ranges::find(graph_.inputs(), name, &graph::Input::name);
    return static_cast<std::size_t>(found - graph_.inputs().begin());
  }
  std::vector<float>& state(const std::string& name, std::size_t count) {
    const std::size_t place = find(name);
    if (place == states_.size() || states_[place].size() != count || offsets_[place] >= 0) {
      throw std::invalid_argument(fmt::format("{} is not a state of {} elements", name, count));
    }
    return states_[place];
  }
  void put(Feed& feed, const Input& input) const {
    const std::size_t place = find(input.name);
    if (place == states_.size() || offsets_[place] < 0 ||
        count_of(graph_.inputs()[place]) != input.count) {
      throw std::invalid_argument(
          fmt::format("{} is not an input of {} elements in a batch", input.name, input.count));
    }
    std::memcpy(feed.data() + offsets_[place], input.values,
                static_cast<std::size_t>(input.count) * 4);
  }

  const graph::Graph& graph_;
  graph::CpuProgram program_;
  std::vector<std::vector<float>> states_;  ///< by input; empty for what is fed
  std::vector<std::int64_t> offsets_;       ///< by input, in a feed; -1 for state
  std::vector<int> updated_;                ///< by output: the input that it updates, or -1
  std::vector<Feed> feeds_;
  std::vector<std::vector<std::vector<float>>> results_;  ///< by step and output
  std::int64_t fed_bytes_ = 0;
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
