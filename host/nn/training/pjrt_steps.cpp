#include "host/nn/training/pjrt_steps.h"

#include <exception>
#include <utility>

#include "host/compiler/kernels/element_operations.h"
#include "host/graph/convolution.h"
#include "host/graph/text.h"
#include "host/nn/training/graph_steps.h"
#include "host/pjrt/buffer_type.h"
#include "systole/support/stopwatch.h"

namespace systole::nn {
namespace {

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
class PjrtSteps final : public GraphSteps {
 public:
  PjrtSteps(const TrainingGraph& graph, const pjrt::Client& client, const Options& options)
      : GraphSteps(graph),
        client_(client),
        executable_(client.compile(graph::print_portable(
            *graph.graph, options.precision == DataType::kFp32 ? graph::Products::kFp32
                                                               : graph::Products::kBf16))),
        states_(inputs()),
        steps_(static_cast<std::size_t>(options.most_steps)) {
    for (const graph::Operation& operation : graph.graph->operations()) {
      if (!lowering::makes_product(operation)) continue;
      products_.products += 1;
      products_.macs += static_cast<std::uint64_t>(macs_of(*graph.graph, operation));
    }
  }

  void write_state(const std::string& input, std::span<const float> values) override {
    const std::size_t place = place_of_state(input, values.size());
    pjrt::Event done;
    states_[place] = put(place, values.data(), done);
    client_.await(std::move(done));
  }
  void read_state(const std::string& input, std::span<float> values) const override {
    client_.read(states_[place_of_state(input, values.size())], std::as_writable_bytes(values));
  }

  void write(std::int64_t step, Feed feed) override {
    on_device_.time([&] {
      Step& next = steps_.at(static_cast<std::size_t>(step));
      next = {.feed = std::move(feed)};
      next.inputs.resize(inputs());
      for (std::size_t i = 0; i < inputs(); ++i) {
        if (is_state(i)) continue;
        next.inputs[i] = put(i, next.feed.data() + offset(i), next.events.emplace_back());
      }
    });
  }
  void run(std::int64_t steps) override {
    on_device_.time([&] {
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
    const std::size_t place = place_of_output(output, values.size());
    const int state = updated(place);
    const auto& results = steps_.at(static_cast<std::size_t>(step)).results;
    client_.read(state < 0 ? results.at(place) : states_[static_cast<std::size_t>(state)],
                 std::as_writable_bytes(values));
  }

  double device_seconds() const override { return on_device_.seconds(); }
  Counters processor_products() const override {
    return {.products = processed_ * products_.products, .macs = processed_ * products_.macs};
  }

 private:
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
    const std::vector<float> zeros(static_cast<std::size_t>(input_elements(place)));
    pjrt::Event done;
    states_[place] = put(place, zeros.data(), done);
    client_.await(std::move(done));
  }

  void enqueue(Step& step) {
    std::vector<pjrt::abi::Buffer*> taken;
    for (std::size_t i = 0; i < inputs(); ++i) {
      if (is_state(i)) fill(i);
      taken.push_back((is_state(i) ? states_[i] : step.inputs[i]).get());
    }
    step.results = client_.run(executable_, taken, step.events.emplace_back());
    for (std::size_t i = 0; i < outputs(); ++i) {
      const int state = updated(i);
      if (state >= 0) {
        states_[static_cast<std::size_t>(state)] = std::exchange(step.results[i], {});
      }
    }
    step.inputs.clear();
  }

  pjrt::Buffer put(std::size_t place, const void* values, pjrt::Event& done) const {
    const graph::Type& type = graph().type(graph().inputs()[place].value);
    return client_.put(pjrt::buffer_type(type.element), type.shape, values, done);
  }

  const pjrt::Client& client_;
  pjrt::Executable executable_;
  std::vector<pjrt::Buffer> states_;  ///< by input; none for what is fed
  std::vector<Step> steps_;           ///< of a launch
  Counters products_;                 ///< of one step
  std::uint64_t processed_ = 0;       ///< steps
  Stopwatch on_device_;
};

}  // namespace

std::unique_ptr<StepRunner> make_pjrt_steps(const TrainingGraph& graph, const pjrt::Client& client,
                                            const StepRunner::Options& options) {
  return std::make_unique<PjrtSteps>(graph, client, options);
}

}  // namespace systole::nn
