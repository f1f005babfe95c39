#include "host/capi/device_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "host/compiler/rewrites/separate_numbers.h"
#include "host/device/backend.h"
#include "host/graph/simplify.h"
#include "host/graph/text.h"

namespace systole::capi {
namespace {

using graph::Element;

std::size_t count_of(const Port& port) {
  return static_cast<std::size_t>(graph::element_count(port.type.shape));
}

double number_of(Element element, std::uint32_t word) {
  switch (element) {
    case Element::kF32:
    case Element::kBf16:
      return std::bit_cast<float>(word);
    case Element::kPred:
      return word != 0 ? 1 : 0;
    default:
      return word;  // a negative one wraps
  }
}

// The lowering has rows and columns of at least one element.
void need_elements(const graph::Graph& step) {
  const auto need = [&](int value, const std::string& what) {
    const graph::Type& type = step.type(value);
    if (graph::element_count(type.shape) > 0) return;
    throw graph::GraphError(fmt::format("{} is a {}: a whole step has no tensors without elements",
                                        what, to_string(type)));
  };
  for (const graph::Input& input : step.inputs()) need(input.value, "input " + input.name);
  for (const graph::Operation& operation : step.operations()) {
    for (const int result : operation.results) {
      need(result, fmt::format("{}: {}", operation.scope, operation.kind->name));
    }
  }
}

bool has_input(const graph::Graph* graph, const std::string& name) {
  return graph != nullptr && std::ranges::count(graph->inputs(), name, &graph::Input::name) != 0;
}

}  // namespace

DeviceProgram::DeviceProgram(std::shared_ptr<SharedDevice> shared, std::string_view text,
                             std::span<const std::int32_t> updated_by)
    : Program(std::move(shared)) {
  const DeviceInfo& info = device().device().info();
  if (!device().device().backend().sizes()) {
    throw std::invalid_argument(
        fmt::format("device '{}' runs no whole steps: use model or rtl", info.name));
  }
  if (device().precision() != DataType::kBf16) {
    throw std::invalid_argument(
        fmt::format("a whole step has products in bf16, not {}", to_string(device().precision())));
  }
  const auto step = graph::read(text, graph::Scopes::kPlaces, graph::Products::kBf16Alone);
  need_elements(*step);
  make_ports(*step, updated_by);
  compile(*graph::simplify(*step));
}

DeviceProgram::~DeviceProgram() {
  const auto lock = device().lock();
  step_.reset();
}

void DeviceProgram::make_ports(const graph::Graph& step, std::span<const std::int32_t> updated_by) {
  inputs_ = input_ports(step);
  outputs_ = output_ports(step);
  updates_.assign(outputs_.size(), -1);
  if (!updated_by.empty() && updated_by.size() != inputs_.size()) {
    throw std::invalid_argument(fmt::format("{} updates are given; the program has {} inputs",
                                            updated_by.size(), inputs_.size()));
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!updated_by.empty()) inputs_[i].updated_by = updated_by[i];
    const int output = inputs_[i].updated_by;
    if (output < 0) continue;
    if (output >= std::ssize(outputs_) || updates_[static_cast<std::size_t>(output)] >= 0) {
      throw std::invalid_argument(
          fmt::format("input {} ('{}') is updated by output {}: choose one of {}, each once", i,
                      inputs_[i].name, output, outputs_.size()));
    }
    updates_[static_cast<std::size_t>(output)] = static_cast<int>(i);
    inputs_[i].stays = true;
    outputs_[static_cast<std::size_t>(output)].stays = true;
  }
}

void DeviceProgram::compile(const graph::Graph& step) {
  std::vector<int> updated_by;
  for (const Port& input : inputs_) updated_by.push_back(input.updated_by);
  lowering::SeparatedStep separated = lowering::separate_numbers(step, updated_by);
  for (const std::string& name : separated.fed) fed_.emplace(name, graph::Type{});
  for (const graph::Output& output : separated.numbers->outputs()) {
    const graph::Type& type = separated.numbers->type(output.value);
    number_outputs_.push_back(output.name);
    computed_[output.name].resize(static_cast<std::size_t>(graph::element_count(type.shape)));
  }
  roles_.assign(inputs_.size(), Role::kUnused);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::string& name = inputs_[i].name;
    const bool is_unchanged = std::ranges::count(separated.unchanged, name) != 0;
    if (has_input(separated.numbers.get(), name)) {
      roles_[i] = Role::kNumber;
    } else if (has_input(separated.device.get(), name)) {
      roles_[i] = is_unchanged                ? Role::kResident
                  : inputs_[i].updated_by < 0 ? Role::kBatch
                                              : Role::kState;
    } else if (is_unchanged) {
      roles_[i] = Role::kKept;
    }
  }
  held_.resize(inputs_.size());
  is_held_.resize(inputs_.size());
  const DeviceInfo& info = device().device().info();
  if (!separated.numbers->outputs().empty()) {
    numbers_ = std::make_unique<graph::CpuProgram>(*separated.numbers, info.threads);
    for (const graph::Input& input : separated.numbers->inputs()) {
      const auto port = std::ranges::find(inputs_, input.name, &Port::name);
      number_inputs_.push_back(static_cast<std::size_t>(port - inputs_.begin()));
    }
  }
  if (separated.device == nullptr) return;
  for (const graph::Input& input : separated.device->inputs()) {
    if (fed_.contains(input.name)) fed_[input.name] = separated.device->type(input.value);
  }
  std::set<std::string> resident;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (roles_[i] == Role::kResident) resident.insert(inputs_[i].name);
  }
  const auto lock = device().lock();
  Backend& backend = device().device().backend();
  step_ = std::make_unique<lowering::StepProgram>(
      *separated.device, backend.memory(),
      lowering::StepProgram::Options{
          .sizes = *backend.sizes(), .most_steps = 1, .resident = resident});
}

void DeviceProgram::execute(const Buffers& from, const Buffers& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i]->data != nullptr || is_held_[i] || inputs_[i].size_bytes == 0) continue;
    throw std::invalid_argument(fmt::format(
        "input {} ('{}') is not on the device: give it, as in the first run", i, inputs_[i].name));
  }
  lowering::StepProgram::Feed feed;
  if (step_) feed = step_->make_feed();
  take_inputs(from, feed);
  compute_numbers();
  if (step_) run_step(feed);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (roles_[i] != Role::kNumber || inputs_[i].updated_by < 0) continue;
    held_[i] = computed_.at(outputs_[static_cast<std::size_t>(inputs_[i].updated_by)].name);
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i]->data != nullptr) read_output(i, to[i]->data);
  }
}

void DeviceProgram::take_inputs(const Buffers& from, lowering::StepProgram::Feed& feed) {
  Words wide;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Port& port = inputs_[i];
    if (from[i]->data == nullptr || roles_[i] == Role::kUnused) continue;
    const auto* words = static_cast<const std::uint32_t*>(widened(port, from[i]->data, wide));
    const std::size_t count = count_of(port);
    if (roles_[i] == Role::kBatch) {
      step_->set_batch(feed, port.name, words, static_cast<std::int64_t>(count));
      continue;
    }
    if (roles_[i] != Role::kState) held_[i].assign(words, words + count);
    if (roles_[i] == Role::kState || roles_[i] == Role::kResident) {
      step_->write_state(port.name, {reinterpret_cast<const float*>(words), count});
    }
    is_held_[i] = true;
  }
}

void DeviceProgram::compute_numbers() {
  if (!numbers_) return;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (const std::size_t input : number_inputs_) inputs.push_back(held_[input].data());
  for (const std::string& output : number_outputs_) outputs.push_back(computed_[output].data());
  numbers_->run(inputs, outputs);
}

void DeviceProgram::run_step(lowering::StepProgram::Feed& feed) {
  std::map<std::string, double> scalars;
  for (const auto& [name, type] : fed_) {
    const Words& words = computed_.at(name);
    if (type.rank() == 0) {
      scalars.emplace(name, number_of(type.element, words[0]));
    } else {
      step_->set_batch(feed, name, words.data(), std::ssize(words));
    }
  }
  step_->set_random(feed, scalars);
  step_->set_scalars(feed, scalars);
  step_->write(0, feed);
  const std::vector<bool> held = is_held_;
  is_held_.assign(held.size(), false);  // a fault leaves the state between two steps
  device().device().backend().run(step_->program(1));
  is_held_ = held;
}

void DeviceProgram::read_output(std::size_t output, void* data) {
  const Port& port = outputs_[output];
  const int updated = updates_[output];
  Words wide;
  auto* words = static_cast<std::uint32_t*>(place_of(port, data, wide));
  if (updated >= 0) {
    const auto input = static_cast<std::size_t>(updated);
    if (!is_held_[input]) {
      throw std::invalid_argument(
          fmt::format("output {} ('{}') was lost with the run that failed", output, port.name));
    }
    if (roles_[input] == Role::kState) {
      step_->read_state(inputs_[input].name, {reinterpret_cast<float*>(words), count_of(port)});
    } else {
      std::ranges::copy(held_[input], words);
    }
  } else if (const auto computed = computed_.find(port.name); computed != computed_.end()) {
    std::ranges::copy(computed->second, words);
  } else {
    step_->read_output(0, port.name, words, static_cast<std::int64_t>(count_of(port)));
  }
  narrow(port, wide, data);
}

}  // namespace systole::capi
