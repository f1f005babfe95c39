#include "host/nn/training/pjrt_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "host/graph/convolution.h"
#include "host/graph/text.h"

namespace systole::nn {
namespace {

pjrt::abi::BufferType buffer_type(graph::Element element) {
  using pjrt::abi::BufferType;
  switch (element) {
    case graph::Element::kF32:
      return BufferType::kF32;
    case graph::Element::kBf16:
      return BufferType::kBf16;
    case graph::Element::kS32:
      return BufferType::kS32;
    case graph::Element::kU32:
      return BufferType::kU32;
    case graph::Element::kS8:
      return BufferType::kS8;
    case graph::Element::kPred:
      return BufferType::kPred;
  }
  return {};
}

bool is_product(const graph::Operation& operation) {
  return operation.kind->name == "dot_general" || operation.kind->name == "convolution";
}

// Multiply-adds, without those with the zeros that a gradient has between its elements.
std::int64_t macs_of(const graph::Graph& graph, const graph::Operation& product) {
  const graph::Call call = graph.call(product);
  std::int64_t macs = graph::element_count(graph.type(product.results[0]).shape);
  if (product.kind->name == "dot_general") {
    const auto& dimensions = call.get<graph::Dimensions>("dot_dimension_numbers");
    for (const std::int64_t d : dimensions["lhs_contracting_dimensions"]) {
      macs *= call.operands[0].shape[static_cast<std::size_t>(d)];
    }
    return macs;
  }
  const auto dimensions = graph::parse_convolution(call.word("dimension_numbers"));
  const graph::Shape& kernel = call.operands[1].shape;
  const auto filters = static_cast<std::size_t>(dimensions.kernel.second);
  for (std::size_t d = 0; d < kernel.size(); ++d) macs *= d == filters ? 1 : kernel[d];
  for (const std::int64_t holes : call.integers("lhs_dilation")) macs /= holes;
  return macs;
}

/// What ProcessorSteps holds in vectors lies in buffers: state by input, and a launch's batches and
/// results by step.
class PjrtSteps final : public StepRunner {
 public:
  PjrtSteps(const TrainingGraph& graph, const pjrt::Client& client, const Options& options)
      : graph_(*graph.graph),
        client_(client),
        executable_(client.compile(graph::print_portable(
            graph_, options.precision == DataType::kFp32 ? graph::Products::kFp32
                                                         : graph::Products::kBf16))),
        states_(graph_.inputs().size()),
        offsets_(graph_.inputs().size(), -1),
        updated_(graph_.outputs().size(), -1),
        steps_(static_cast<std::size_t>(options.most_steps)) {
    const std::set<std::string> resident = states_of(graph);
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      const graph::Input& input = graph_.inputs()[i];
      if (input.updated_by >= 0) {
        updated_[static_cast<std::size_t>(input.updated_by)] = static_cast<int>(i);
      } else if (!resident.contains(input.name)) {
        offsets_[i] = fed_bytes_;
        fed_bytes_ += (bytes_of(input) + kAlignment - 1) / kAlignment * kAlignment;
      }
    }
    for (const graph::Operation& operation : graph_.operations()) {
      if (!is_product(operation)) continue;
      products_.products += 1;
      products_.macs += static_cast<std::uint64_t>(macs_of(graph_, operation));
    }
  }

  void write_state(const std::string& input, std::span<const float> values) override {
    const std::size_t place = state_place(input, values.size());
    pjrt::Event done;
    states_[place] = put(place, values.data(), done);
    client_.await(std::move(done));
  }
  void read_state(const std::string& input, std::span<float> values) const override {
    client_.read(states_[state_place(input, values.size())], std::as_writable_bytes(values));
  }

  Feed prepare(std::span<const Input> inputs, const StepScalars& scalars) const override {
    Feed feed(static_cast<std::size_t>(fed_bytes_));
    for (const Input& input : inputs) set(feed, input);
    set_rate(feed, scalars);
    return feed;
  }
  void set_rate(Feed& feed, const StepScalars& scalars) const override {
    for (const auto& [name, value] : scalars.by_name()) {
      const auto scalar = static_cast<float>(value);
      if (find(name) < graph_.inputs().size()) set(feed, {name, &scalar, 1});
    }
  }

  void write(std::int64_t step, Feed feed) override {
    timed([&] {
      Step& next = steps_.at(static_cast<std::size_t>(step));
      next = {.feed = std::move(feed)};
      next.inputs.resize(offsets_.size());
      for (std::size_t i = 0; i < offsets_.size(); ++i) {
        if (offsets_[i] < 0) continue;
        next.inputs[i] = put(i, next.feed.data() + offsets_[i], next.events.emplace_back());
      }
    });
  }
  void run(std::int64_t steps) override {
    timed([&] {
      for (std::int64_t i = 0; i < steps; ++i) enqueue(steps_[static_cast<std::size_t>(i)]);
      // All of them, also after an error: their batches' memory is free only then.
      std::exception_ptr first_error;
      for (std::int64_t i = 0; i < steps; ++i) {
        for (pjrt::Event& event : std::exchange(steps_[static_cast<std::size_t>(i)].events, {})) {
          try {
            client_.await(std::move(event));
          } catch (...) {
            if (!first_error) first_error = std::current_exception();
          }
        }
      }
      if (first_error) std::rethrow_exception(first_error);
    });
    processed_ += static_cast<std::uint64_t>(steps);
  }
  void read_output(std::int64_t step, const std::string& output,
                   std::span<float> values) const override {
    const auto found = std::ranges::find(graph_.outputs(), output, &graph::Output::name);
    const auto place = static_cast<std::size_t>(found - graph_.outputs().begin());
    if (place == updated_.size() || count_of(found->value) != std::ssize(values)) {
      throw std::invalid_argument(
          fmt::format("{} is not an output of {} elements", output, values.size()));
    }
    const int input = updated_[place];
    const auto& results = steps_.at(static_cast<std::size_t>(step)).results;
    client_.read(input < 0 ? results.at(place) : states_[static_cast<std::size_t>(input)],
                 std::as_writable_bytes(values));
  }

  double device_seconds() const override { return seconds_; }
  std::int64_t fed_bytes() const override { return 0; }  // the link's time is in device_seconds
  Counters processor_products() const override {
    return {.products = processed_ * products_.products, .macs = processed_ * products_.macs};
  }

 private:
  static constexpr std::int64_t kAlignment = 64;

  /// A step of a launch. The feed's memory lasts until the events have happened.
  struct Step {
    Feed feed = {};
    std::vector<pjrt::Buffer> inputs = {};   ///< by input; none for state
    std::vector<pjrt::Buffer> results = {};  ///< by output; none for what updates state
    std::vector<pjrt::Event> events = {};
  };

  // Gradients that steps leave are states that nobody writes before the first.
  void fill(std::size_t place) {
    if (states_[place]) return;
    const std::vector<std::byte> zeros(static_cast<std::size_t>(bytes_of(graph_.inputs()[place])));
    pjrt::Event done;
    states_[place] = put(place, zeros.data(), done);
    client_.await(std::move(done));
  }

  void enqueue(Step& step) {
    std::vector<pjrt::abi::Buffer*> inputs;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      if (offsets_[i] < 0) fill(i);
      inputs.push_back((offsets_[i] < 0 ? states_[i] : step.inputs[i]).get());
    }
    step.results = client_.run(executable_, inputs, step.events.emplace_back());
    for (std::size_t i = 0; i < updated_.size(); ++i) {
      if (updated_[i] < 0) continue;
      states_[static_cast<std::size_t>(updated_[i])] = std::exchange(step.results[i], {});
    }
    step.inputs.clear();
  }

  pjrt::Buffer put(std::size_t place, const void* values, pjrt::Event& done) const {
    const graph::Type& type = graph_.type(graph_.inputs()[place].value);
    return client_.put(buffer_type(type.element), type.shape, values, done);
  }

  std::int64_t count_of(int value) const { return graph::element_count(graph_.type(value).shape); }
  // Batches and state are of f32 or i32.
  std::int64_t bytes_of(const graph::Input& input) const { return 4 * count_of(input.value); }
  std::size_t find(const std::string& name) const {
    const auto found = std::ranges::find(graph_.inputs(), name, &graph::Input::name);
    return static_cast<std::size_t>(found - graph_.inputs().begin());
  }
  std::size_t state_place(const std::string& name, std::size_t count) const {
    const std::size_t place = find(name);
    if (place == states_.size() || offsets_[place] >= 0 ||
        count_of(graph_.inputs()[place].value) != static_cast<std::int64_t>(count)) {
      throw std::invalid_argument(fmt::format("{} is not a state of {} elements", name, count));
    }
    return place;
  }
  void set(Feed& feed, const Input& input) const {
    const std::size_t place = find(input.name);
    if (place == states_.size() || offsets_[place] < 0 ||
        count_of(graph_.inputs()[place].value) != input.count) {
      throw std::invalid_argument(
          fmt::format("{} is not an input of {} elements in a batch", input.name, input.count));
    }
    std::memcpy(feed.data() + offsets_[place], input.values,
                static_cast<std::size_t>(input.count) * 4);
  }
  template <typename Work>
  void timed(const Work& work) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    work();
    seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  }

  const graph::Graph& graph_;
  const pjrt::Client& client_;
  pjrt::Executable executable_;
  std::vector<pjrt::Buffer> states_;   ///< by input; none for what is fed
  std::vector<std::int64_t> offsets_;  ///< by input, in a feed; -1 for state
  std::vector<int> updated_;           ///< by output: the input that it updates, or -1
  std::vector<Step> steps_;            ///< of a launch
  Counters products_;                  ///< of one step
  std::uint64_t processed_ = 0;        ///< steps
  std::int64_t fed_bytes_ = 0;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<StepRunner> make_pjrt_steps(const TrainingGraph& graph, const pjrt::Client& client,
                                            const StepRunner::Options& options) {
  return std::make_unique<PjrtSteps>(graph, client, options);
}

}  // namespace systole::nn
