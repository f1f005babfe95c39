#include "host/compiler/program/step_program.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "host/compiler/program/kernel_commands.h"
#include "host/compiler/program/step_builder.h"
#include "host/device/convert.h"
#include "host/device/device.h"
#include "host/device/element_size.h"

namespace systole::lowering {

using graph::GraphError;

namespace {

/// Steps are planned together while they have fewer commands than this: the fence after a block
/// costs a part of a step.
constexpr std::int64_t kCommandsOfBlock = 32'768;

/// A core's patience with a neighbour in clocks: a multiple of the longest standstill estimated of
/// a link, since estimates give each engine the bus that two of them share; and at least a floor.
constexpr std::int64_t kPatienceStretches = 2, kLeastPatience = 1'000'000;

void need_state(const LoweredGraph& lowered, int value, const std::string& name,
                std::size_t elements) {
  const bool is_state = std::ranges::count(lowered.state, value) != 0;
  if (is_state && static_cast<std::int64_t>(elements) ==
                      graph::element_count(lowered.graph->type(value).shape)) {
    return;
  }
  throw std::invalid_argument(fmt::format("{} is not a state of {} elements", name, elements));
}

LoweredGraph lower(const graph::Graph& graph, const StepProgram::Options& options,
                   const std::set<std::string>* among = nullptr) {
  return lower_graph(graph, options.sizes, options.resident, options.quantization, {}, options.core,
                     options.slots, among);
}

LoweredGraph lower_alike(const graph::Graph& graph, const StepProgram::Options& options) {
  if (options.with_rows == nullptr) return lower(graph, options);
  const LoweredGraph other = lower(*options.with_rows, options);
  return lower(graph, options, &other.shared_updates);
}

}  // namespace

StepProgram::StepProgram(const graph::Graph& graph, Memory& memory, const Options& options)
    : lowered_(lower_alike(graph, options)),
      plan_(plan_memory(lowered_, options.sizes)),
      table_(*lowered_.graph, lowered_.table),
      random_(*lowered_.graph, lowered_.drawn),
      memory_(memory),
      options_(options) {
  if (options.most_steps < 1) {
    throw std::invalid_argument(
        fmt::format("{} steps an execution: it must be 1 or more", options.most_steps));
  }
  const std::int64_t bytes = size_bytes();
  if (options.most_bytes > 0 && bytes > options.most_bytes) {
    throw MemoryFull(fmt::format(
        "the step needs {} bytes of device memory, {} of them for {} batches, and the device has "
        "{}: choose a smaller batch or fewer steps an execution",
        bytes, options.most_steps * plan_.step_bytes, options.most_steps, options.most_bytes));
  }
  memory_block_ = MemoryBlock(memory_, bytes);
  base_ = memory_block_.address();
  write_constants();
  builder_ = std::make_unique<StepBuilder>(lowered_, plan_, base_, options_.sizes, options_.disk);
  const StepBuilder::Steps& one = block_[1] = builder_->build(1);
  const auto count = std::ssize(one.commands) + 1;  // with a fence
  if (count * options.most_steps > kDoorbellCommands) {
    throw DeviceError(fmt::format(
        "a step has {} commands and an execution {} steps, and a doorbell names at most {} "
        "commands: choose {}",
        count, options.most_steps, kDoorbellCommands,
        count > kDoorbellCommands
            ? "a smaller batch"
            : fmt::format("at most {} steps an execution", kDoorbellCommands / count)));
  }
  steps_of_block_ =
      std::clamp<std::int64_t>(kCommandsOfBlock / std::ssize(one.commands), 1, options.most_steps);
  program(options.most_steps);
}

void StepProgram::write_constants() {
  if (plan_.ones >= 0) {
    constexpr std::uint16_t kOne = 0x3f80;
    const std::vector<std::uint16_t> ones(
        static_cast<std::size_t>(options_.sizes.bank_rows * kTerms), kOne);
    memory_.write(at(plan_.ones), std::as_bytes(std::span(ones)));
  }
  const std::vector<Table::Words> constants = Table(*lowered_.graph, lowered_.constants).fill({});
  for (std::size_t i = 0; i < constants.size(); ++i) {
    put_value(lowered_.constants[i], std::as_bytes(std::span(constants[i])), into_memory());
  }
  std::int64_t code = plan_.programs();
  for (const Unit& unit : lowered_.units) {
    if (unit.kernel() == nullptr) continue;
    const std::vector<std::byte> image = code_image(*unit.kernel());
    memory_.write(at(code), image);
    code += std::ssize(image);
  }
}

void StepProgram::append_block(std::int64_t first_step, std::int64_t steps) {
  const auto known = block_.find(steps);
  const StepBuilder::Steps& block =
      (known != block_.end() ? known : block_.emplace(steps, builder_->build(steps)).first)->second;
  const Move moved{.first = at(plan_.step()),
                   .bytes = steps * plan_.step_bytes,
                   .shift = first_step * plan_.step_bytes};
  std::ranges::transform(block.commands, std::back_inserter(commands_), moved);
  std::ranges::transform(block.units, std::back_inserter(units_), moved);
  commands_.push_back(device::encode(device::Fence{}));
  longest_stretch_ = std::max(longest_stretch_, block.longest_stretch);
}

int StepProgram::input(const std::string& name) const {
  for (const graph::Input& input : lowered_.graph->inputs()) {
    if (input.name == name) return input.value;
  }
  throw std::invalid_argument(fmt::format("the step has no input {}", name));
}

namespace {

template <typename Element>
std::vector<Element> turned(std::span<const Element> kernel, std::int64_t taps,
                            std::int64_t filters) {
  const std::int64_t channels = std::ssize(kernel) / taps / filters;
  std::vector<Element> result;
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    for (std::int64_t tap = taps; tap-- > 0;) {
      const auto row = kernel.begin() + (tap * channels + channel) * filters;
      result.insert(result.end(), row, row + filters);
    }
  }
  return result;
}

std::span<std::uint16_t> rounded_words(std::span<std::byte> bytes) {
  return {reinterpret_cast<std::uint16_t*>(bytes.data()), bytes.size() / sizeof(std::uint16_t)};
}

}  // namespace

void StepProgram::put_value(int value, std::span<const std::byte> words, const Sink& sink) const {
  const MemoryPlan::Place& place = plan_.places[value];
  const graph::Type& type = lowered_.graph->type(value);
  const auto is_kept = [&](Format format) { return place.of(format) >= 0; };
  const auto write = [&](Format format, std::span<const std::byte> bytes) {
    sink(place.of(format), bytes.size(),
         [&](std::span<std::byte> to) { std::ranges::copy(bytes, to.begin()); });
  };
  if (type.element == graph::Element::kS8 || type.element == graph::Element::kPred) {
    std::vector<std::int32_t> numbers(words.size() / sizeof(std::int32_t));
    std::memcpy(numbers.data(), words.data(), words.size());
    if (type.element == graph::Element::kPred) {  // all ones or zero in a lane
      for (std::int32_t& number : numbers) number = number != 0 ? -1 : 0;
      if (is_kept(Format::kWord)) write(Format::kWord, std::as_bytes(std::span(numbers)));
      return;
    }
    const std::vector<std::int8_t> bytes(numbers.begin(), numbers.end());
    if (is_kept(Format::kInt8)) write(Format::kInt8, std::as_bytes(std::span(bytes)));
    if (!is_kept(Format::kInt8Turned)) return;
    const auto kernel = turned(std::span(bytes), lowered_.taps.at(value), type.shape.back());
    return write(Format::kInt8Turned, std::as_bytes(std::span(kernel)));
  }
  if (is_kept(Format::kWord)) write(Format::kWord, words);
  const std::span values(reinterpret_cast<const float*>(words.data()),
                         words.size() / sizeof(float));
  if (is_kept(Format::kBf16)) {
    sink(place.of(Format::kBf16), values.size() * sizeof(std::uint16_t),
         [&](std::span<std::byte> to) { convert_to_bf16(values, rounded_words(to)); });
  }
  if (!is_kept(Format::kTerms) && !is_kept(Format::kTurned)) return;
  std::vector<std::uint16_t> rounded(values.size());
  convert_to_bf16(values, rounded);
  if (is_kept(Format::kTurned)) {
    const auto kernel =
        turned(std::span<const std::uint16_t>(rounded), lowered_.taps.at(value), type.shape.back());
    write(Format::kTurned, std::as_bytes(std::span(kernel)));
  }
  if (!is_kept(Format::kTerms)) return;
  std::vector<float> rest(values.begin(), values.end());
  std::vector<std::uint16_t> terms = rounded;
  for (int term = 1; term < kTerms; ++term) {
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= to_fp32(rounded[i]);
    convert_to_bf16(rest, rounded);
    terms.insert(terms.end(), rounded.begin(), rounded.end());
  }
  write(Format::kTerms, std::as_bytes(std::span(terms)));
}

void StepProgram::write_state(const std::string& name, std::span<const float> values) {
  const int value = input(name);
  need_state(lowered_, value, name, values.size());
  put_value(value, std::as_bytes(values), into_memory());
}

void StepProgram::read_state(const std::string& name, std::span<float> values) const {
  const int value = input(name);
  need_state(lowered_, value, name, values.size());
  get_value(value, 0, std::as_writable_bytes(values));
}

SharedColumns StepProgram::shared(const std::string& name) const {
  const auto found = lowered_.shared.find(input(name));
  return found == lowered_.shared.end() ? SharedColumns() : found->second;
}

StepProgram::Sink StepProgram::into(Feed& feed) const {
  return [this, &feed](std::int64_t offset, std::size_t bytes, const Fill& fill) {
    fill(std::span(feed).subspan(static_cast<std::size_t>(offset - plan_.step()), bytes));
  };
}

StepProgram::Sink StepProgram::into_memory() {
  return [this](std::int64_t offset, std::size_t bytes, const Fill& fill) {
    if (std::byte* place = memory_.in_place(at(offset), static_cast<std::int64_t>(bytes))) {
      return fill({place, bytes});
    }
    std::vector<std::byte> filled(bytes);
    fill(filled);
    memory_.write(at(offset), filled);
  };
}

int StepProgram::batch_input(const std::string& name, std::int64_t count) const {
  const int value = input(name);
  const bool is_batch = std::ranges::count(lowered_.batch, value) != 0;
  if (!is_batch || count != graph::element_count(lowered_.graph->type(value).shape)) {
    throw std::invalid_argument(
        fmt::format("{} is not an input of {} elements in a batch", name, count));
  }
  return value;
}

void StepProgram::set_batch(Feed& feed, const std::string& name, const void* values,
                            std::int64_t count) const {
  const auto bytes = static_cast<std::size_t>(count) * 4;
  put_value(batch_input(name, count), {static_cast<const std::byte*>(values), bytes}, into(feed));
}

void StepProgram::write_batch(const std::string& name, const void* values, std::int64_t count) {
  const auto bytes = static_cast<std::size_t>(count) * 4;
  put_value(batch_input(name, count), {static_cast<const std::byte*>(values), bytes},
            into_memory());
}

bool StepProgram::is_rounded(const std::string& name) const {
  const MemoryPlan::Place& place = plan_.places[input(name)];
  return std::ranges::all_of(kAllFormats, [&](Format format) {
    return (place.of(format) >= 0) == (format == Format::kBf16);
  });
}

void StepProgram::write_rounded(const std::string& name, const FillRounded& fill) {
  const int value = input(name);
  const std::int64_t count = graph::element_count(lowered_.graph->type(value).shape);
  into_memory()(plan_.places[value].of(Format::kBf16),
                static_cast<std::size_t>(count) * sizeof(std::uint16_t),
                [&](std::span<std::byte> to) { fill(rounded_words(to)); });
}

void StepProgram::set_random(Feed& feed, const std::map<std::string, double>& values) const {
  const std::vector<Table::Words> drawn = random_.fill(values);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    put_value(lowered_.drawn[i], std::as_bytes(std::span(drawn[i])), into(feed));
  }
}

void StepProgram::set_scalars(Feed& feed, const std::map<std::string, double>& values) const {
  std::int64_t offset = plan_.table;
  for (const Table::Words& scalar : table_.fill(values)) {
    into(feed)(offset, scalar.size() * 4, [&](std::span<std::byte> to) {
      std::ranges::copy(std::as_bytes(std::span(scalar)), to.begin());
    });
    offset += std::ssize(scalar) * 4;
  }
}

void StepProgram::write(std::int64_t step, const Feed& feed) {
  if (std::ssize(feed) != plan_.fed_bytes || step < 0 || step >= options_.most_steps) {
    throw std::invalid_argument(fmt::format("{} bytes are not what step {} of {} takes",
                                            feed.size(), step, options_.most_steps));
  }
  memory_.write(at(plan_.step() + step * plan_.step_bytes), feed);
}

std::int64_t StepProgram::products_of_step() const {
  std::int64_t count = 0;
  for (const Unit& unit : lowered_.units) {
    if (const MatrixMatch* match = unit.product()) count += match->form.batch;
  }
  return count;
}

bool StepProgram::meets_neighbours() const {
  return std::ranges::any_of(lowered_.units, [](const Unit& unit) {
    return unit.kernel() != nullptr && unit.kernel()->meets_neighbours();
  });
}

PlacedProgram StepProgram::program(std::int64_t steps) {
  if (steps < 1 || steps > options_.most_steps) {
    throw std::invalid_argument(
        fmt::format("an execution of {} steps: it must be 1 to {}", steps, options_.most_steps));
  }
  if (std::exchange(steps_, steps) != steps) {
    commands_.clear();
    units_.clear();
    longest_stretch_ = 0;
    for (std::int64_t step = 0; step < steps; step += steps_of_block_) {
      append_block(step, std::min(steps_of_block_, steps - step));
    }
    if (commands_.size() > ring_commands_) {
      ring_commands_ = commands_.size();
      ring_ = {};  // its memory may serve the next
      ring_ = MemoryBlock(memory_, std::ssize(commands_) * 16);
      numbers_.clear();
    }
    memory_.write(ring_.address(), std::as_bytes(std::span(commands_)));
    if (!numbers_.contains(steps)) numbers_.emplace(steps, new_program_number());
  }
  return {.commands = commands_,
          .ring = ring_.address(),
          .base = base_,
          .end = base_ + static_cast<std::uint64_t>(size_bytes()),
          .units = units_,
          .number = numbers_.at(steps),
          .multiplies = static_cast<std::uint64_t>(steps * products_of_step()),
          .macs = static_cast<std::uint64_t>(steps) * builder_->macs(),
          .link_patience = link_patience()};
}

std::uint32_t StepProgram::link_patience() const {
  if (!meets_neighbours()) return 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(
      std::clamp(kPatienceStretches * longest_stretch_, kLeastPatience, kMost));
}

int StepProgram::result_of(const std::string& output) const {
  const auto found =
      std::ranges::find(lowered_.results, output, &std::pair<std::string, int>::first);
  return found == lowered_.results.end() ? -1 : found->second;
}

void StepProgram::read_output(std::int64_t step, const std::string& output, void* values,
                              std::int64_t count) const {
  const int result = result_of(output);
  if (result < 0 || step < 0 || step >= options_.most_steps ||
      count != graph::element_count(lowered_.graph->type(result).shape)) {
    throw std::invalid_argument(
        fmt::format("step {} of {} has no output {} of {} elements, or it is a state", step,
                    options_.most_steps, output, count));
  }
  get_value(result, step, {static_cast<std::byte*>(values), static_cast<std::size_t>(count) * 4});
}

const float* StepProgram::read_words(const std::string& output, std::vector<float>& copy) const {
  const int result = result_of(output);
  const std::int64_t count = graph::element_count(lowered_.graph->type(result).shape);
  if (const std::byte* words =
          memory_.in_place(at(plan_.places[result].of(Format::kWord)), 4 * count)) {
    return reinterpret_cast<const float*>(words);
  }
  copy.resize(static_cast<std::size_t>(count));
  read_output(0, output, copy.data(), count);
  return copy.data();
}

void StepProgram::get_value(int value, std::int64_t step, std::span<std::byte> words) const {
  const graph::Element element = lowered_.graph->type(value).element;
  const Format format = word_format(lowered_.graph->type(value));
  const std::uint64_t from = at(plan_.places[value].of(format) + step * plan_.step_bytes);
  if (format == Format::kWord) memory_.read(from, words);
  if (element != graph::Element::kPred && element != graph::Element::kS8) return;
  std::vector<std::int32_t> numbers(words.size() / sizeof(std::int32_t));
  if (element == graph::Element::kS8) {
    std::vector<std::int8_t> bytes(numbers.size());
    memory_.read(from, std::as_writable_bytes(std::span(bytes)));
    numbers.assign(bytes.begin(), bytes.end());
  } else {
    std::memcpy(numbers.data(), words.data(), words.size());
    for (std::int32_t& number : numbers) number = number != 0 ? 1 : 0;
  }
  std::memcpy(words.data(), numbers.data(), words.size());
}

float StepProgram::result(std::int64_t step, const std::string& output) const {
  float value = 0;
  read_output(step, output, &value, 1);
  return value;
}

}  // namespace systole::lowering
