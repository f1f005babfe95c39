#include "host/nn/training/graph_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "systole/support/ceil_div.h"

namespace systole::nn {

GraphSteps::GraphSteps(const TrainingGraph& graph)
    : graph_(*graph.graph),
      offsets_(graph_.inputs().size(), -1),
      updated_(graph_.outputs().size(), -1) {
  constexpr std::int64_t kAlignment = 64;
  const std::set<std::string> resident = states_of(graph);
  for (std::size_t i = 0; i < inputs(); ++i) {
    const graph::Input& input = graph_.inputs()[i];
    if (input.updated_by >= 0) {
      updated_[static_cast<std::size_t>(input.updated_by)] = static_cast<int>(i);
    } else if (!resident.contains(input.name)) {
      offsets_[i] = fed_bytes_;
      fed_bytes_ += ceil_div(4 * input_elements(i), kAlignment) * kAlignment;
    }
  }
}

std::int64_t GraphSteps::input_elements(std::size_t input) const {
  return graph::element_count(graph_.type(graph_.inputs()[input].value).shape);
}
std::int64_t GraphSteps::output_elements(std::size_t output) const {
  return graph::element_count(graph_.type(graph_.outputs()[output].value).shape);
}

std::size_t GraphSteps::find(const std::string& name) const {
  const auto found = std::ranges::find(graph_.inputs(), name, &graph::Input::name);
  return static_cast<std::size_t>(found - graph_.inputs().begin());
}

std::size_t GraphSteps::place_of_state(const std::string& name, std::size_t elements) const {
  const std::size_t place = find(name);
  if (place == inputs() || !is_state(place) ||
      input_elements(place) != static_cast<std::int64_t>(elements)) {
    throw std::invalid_argument(fmt::format("{} is not a state of {} elements", name, elements));
  }
  return place;
}

std::size_t GraphSteps::place_of_output(const std::string& name, std::size_t elements) const {
  const auto found = std::ranges::find(graph_.outputs(), name, &graph::Output::name);
  const auto place = static_cast<std::size_t>(found - graph_.outputs().begin());
  if (place == outputs() || output_elements(place) != static_cast<std::int64_t>(elements)) {
    throw std::invalid_argument(fmt::format("{} is not an output of {} elements", name, elements));
  }
  return place;
}

GraphSteps::Feed GraphSteps::prepare(std::span<const Input> inputs,
                                     const StepScalars& scalars) const {
  Feed feed(static_cast<std::size_t>(fed_bytes_));
  for (const Input& input : inputs) put(feed, input);
  set_rate(feed, scalars);
  return feed;
}

void GraphSteps::set_rate(Feed& feed, const StepScalars& scalars) const {
  for (const auto& [name, value] : scalars.by_name()) {
    const auto scalar = static_cast<float>(value);
    if (find(name) < inputs()) put(feed, {name, &scalar, 1});
  }
}

void GraphSteps::put(Feed& feed, const Input& input) const {
  const std::size_t place = find(input.name);
  if (place == inputs() || is_state(place) || input_elements(place) != input.count) {
    throw std::invalid_argument(
        fmt::format("{} is not an input of {} elements in a batch", input.name, input.count));
  }
  std::memcpy(feed.data() + offsets_[place], input.values,
              static_cast<std::size_t>(input.count) * 4);
}

}  // namespace systole::nn
