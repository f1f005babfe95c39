#include "host/compiler/rewrites/separate_numbers.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "host/compiler/rewrites/byte_words.h"
#include "host/graph/ops.h"

namespace systole::lowering {
namespace {

using graph::Element;
using graph::Graph;
using graph::GraphError;
using graph::Operation;
using graph::Value;

/// What a value follows from, the most of its operands.
enum class Source : std::uint8_t { kConstants, kNumbers, kTensors };

bool may_be_number(const graph::Type& type) {
  constexpr std::int64_t kMostOfKey = 16;
  return type.rank() == 0 ||
         (type.element == Element::kU32 && graph::element_count(type.shape) <= kMostOfKey);
}

class Separator {
 public:
  Separator(const Graph& step, std::span<const int> updated_by)
      : step_(step),
        updated_by_(updated_by),
        sources_(step.value_count()),
        random_(step.value_count()),
        on_device_(step.value_count()),
        by_host_(step.value_count()),
        fed_(step.value_count(), -1) {
    check_updates();
    for (const graph::Input& input : step.inputs()) {
      is_number_.push_back(may_be_number(step.type(input.value)));
    }
    while (find_sources()) {
    }
    find_random();
  }

  SeparatedStep run() {
    find_needed();
    SeparatedStep separated;
    separated.numbers = write_numbers(separated.fed);
    separated.device = write_device(separated.fed);
    for (std::size_t i = 0; i < step_.inputs().size(); ++i) {
      if (is_unchanged(i)) separated.unchanged.push_back(step_.inputs()[i].name);
    }
    return separated;
  }

 private:
  void check_updates() const {
    std::map<int, std::string> by_value;
    for (std::size_t i = 0; i < step_.inputs().size(); ++i) {
      if (updated_by_[i] < 0) continue;
      const graph::Input& input = step_.inputs()[i];
      const graph::Output& output = step_.outputs()[static_cast<std::size_t>(updated_by_[i])];
      if (step_.type(input.value) != step_.type(output.value)) {
        throw GraphError(fmt::format("input {} is {} and cannot become output {}, {}", input.name,
                                     to_string(step_.type(input.value)), output.name,
                                     to_string(step_.type(output.value))));
      }
      const auto [other, is_new] = by_value.emplace(output.value, input.name);
      if (is_new) continue;
      throw GraphError(fmt::format("inputs {} and {} both become output {}", other->second,
                                   input.name, output.name));
    }
  }

  const graph::Output& next(std::size_t input) const {
    return step_.outputs()[static_cast<std::size_t>(updated_by_[input])];
  }
  bool is_unchanged(std::size_t input) const {
    return updated_by_[input] >= 0 && next(input).value == step_.inputs()[input].value;
  }

  // Whether an input that was taken for a number turned out to be updated from tensors.
  bool find_sources() {
    for (std::size_t i = 0; i < is_number_.size(); ++i) {
      sources_[step_.inputs()[i].value] = is_number_[i] ? Source::kNumbers : Source::kTensors;
    }
    for (const Operation& operation : step_.operations()) {
      Source most = Source::kConstants;
      for (const int operand : operation.operands) most = std::max(most, sources_[operand]);
      for (const int result : operation.results) sources_[result] = most;
    }
    bool has_changed = false;
    for (std::size_t i = 0; i < is_number_.size(); ++i) {
      if (!is_number_[i] || updated_by_[i] < 0) continue;
      if (sources_[next(i).value] != Source::kTensors) continue;
      is_number_[i] = false;
      has_changed = true;
    }
    return has_changed;
  }

  // Random bits are unsigned; counts and rates are not.
  void find_random() {
    const auto is_bits = [&](int value) {
      return sources_[value] == Source::kNumbers && step_.type(value).element == Element::kU32;
    };
    for (const graph::Input& input : step_.inputs()) random_[input.value] = is_bits(input.value);
    for (const Operation& operation : step_.operations()) {
      const bool follows =
          std::ranges::any_of(operation.operands, [&](int x) { return random_[x]; });
      for (const int result : operation.results) {
        random_[result] = sources_[result] == Source::kNumbers && (follows || is_bits(result));
      }
    }
  }

  // Whether the host computes it for the device, which then reads it.
  bool is_given(int value) const {
    return sources_[value] == Source::kNumbers && (step_.type(value).rank() == 0 || random_[value]);
  }

  bool is_of_device(std::size_t output) const {
    const auto updated =
        std::ranges::find(updated_by_, static_cast<int>(output)) - updated_by_.begin();
    if (updated == std::ssize(updated_by_)) {
      return sources_[step_.outputs()[output].value] == Source::kTensors;
    }
    const auto input = static_cast<std::size_t>(updated);
    return !is_number_[input] && !is_unchanged(input);
  }

  void find_needed() {
    for (std::size_t i = 0; i < step_.outputs().size(); ++i) {
      const int value = step_.outputs()[i].value;
      if (is_of_device(i)) {
        on_device_[value] = true;
      } else if (sources_[value] != Source::kTensors) {
        by_host_[value] = true;
      }
    }
    const auto& operations = step_.operations();
    for (auto operation = operations.rbegin(); operation != operations.rend(); ++operation) {
      bool here = false, there = false;
      for (const int result : operation->results) {
        if (on_device_[result] && is_given(result)) {
          by_host_[result] = true;
        } else if (on_device_[result]) {
          there = true;
        }
        here = here || by_host_[result];
      }
      for (const int operand : operation->operands) {
        if (there) on_device_[operand] = true;
        if (here) by_host_[operand] = true;
      }
    }
  }

  // Copies the operations that `takes` names.
  template <typename Takes>
  void copy(Graph& to, std::vector<Value>& values, const Takes& takes) const {
    for (const Operation& operation : step_.operations()) {
      if (std::ranges::none_of(operation.results, takes)) continue;
      std::vector<Value> operands;
      for (const int operand : operation.operands) operands.push_back(values[operand]);
      const Graph::Scope layer(to, operation.scope);
      const std::vector<Value> results = to.add(operation, operands);
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (!values[operation.results[i]]) values[operation.results[i]] = results[i];
      }
    }
  }

  std::unique_ptr<Graph> write_numbers(std::vector<std::string>& fed) {
    auto numbers = std::make_unique<Graph>();
    std::vector<Value> values(step_.value_count());
    for (std::size_t i = 0; i < is_number_.size(); ++i) {
      const graph::Input& input = step_.inputs()[i];
      if (is_number_[i]) values[input.value] = numbers->input(input.name, step_.type(input.value));
    }
    copy(*numbers, values, [&](int value) { return by_host_[value]; });
    for (int value = 0; value < static_cast<int>(step_.value_count()); ++value) {
      if (!on_device_[value] || !is_given(value)) continue;
      fed_[value] = static_cast<int>(fed.size());
      fed.push_back(fmt::format("fed${}", fed.size()));
      numbers->output(fed.back(), as_words(values[value]));
    }
    for (std::size_t i = 0; i < step_.outputs().size(); ++i) {
      const auto& [name, value] = step_.outputs()[i];
      if (!is_of_device(i) && values[value]) numbers->output(name, values[value]);
    }
    return numbers;
  }

  static Value as_words(Value value) {
    if (value.type().element != Element::kPred) return value;
    const graph::Type words{Element::kU32, value.shape()};
    return select(value, constant(value.graph(), words, 0xffff'ffff),
                  constant(value.graph(), words, 0));
  }

  std::unique_ptr<Graph> write_device(const std::vector<std::string>& fed) const {
    auto device = std::make_unique<Graph>();
    std::vector<Value> values(step_.value_count());
    for (std::size_t i = 0; i < is_number_.size(); ++i) {
      const graph::Input& input = step_.inputs()[i];
      const bool is_updated = updated_by_[i] >= 0 && !is_unchanged(i);
      if (is_number_[i] || !(is_updated || on_device_[input.value])) continue;
      values[input.value] = device->input(input.name, step_.type(input.value));
    }
    for (std::size_t value = 0; value < fed_.size(); ++value) {
      if (fed_[value] < 0) continue;
      values[value] = device->input(fed[static_cast<std::size_t>(fed_[value])],
                                    step_.type(static_cast<int>(value)));
    }
    copy(*device, values, [&](int value) { return on_device_[value] && fed_[value] < 0; });
    for (std::size_t i = 0; i < step_.outputs().size(); ++i) {
      if (!is_of_device(i)) continue;
      const auto& [name, value] = step_.outputs()[i];
      const auto updated = std::ranges::find(updated_by_, static_cast<int>(i));
      if (updated == updated_by_.end()) {
        device->output(name, values[value]);
      } else {
        const auto input = static_cast<std::size_t>(updated - updated_by_.begin());
        device->update(values[step_.inputs()[input].value], name, values[value]);
      }
    }
    return device->outputs().empty() ? nullptr : std::move(device);
  }

  const Graph& step_;
  std::span<const int> updated_by_;
  std::vector<bool> is_number_;                     ///< by input
  std::vector<Source> sources_;                     ///< by value
  std::vector<bool> random_, on_device_, by_host_;  ///< by value
  std::vector<int> fed_;                            ///< by value: its place in `fed`, or -1
};

}  // namespace

SeparatedStep separate_numbers(const Graph& step, std::span<const int> updated_by) {
  const std::unique_ptr<Graph> words = bytes_as_words(step);
  return Separator(words ? *words : step, updated_by).run();
}

}  // namespace systole::lowering
