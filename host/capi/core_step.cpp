#include "host/capi/core_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "host/compiler/rewrites/separate_numbers.h"

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

bool has_input(const graph::Graph* graph, const std::string& name) {
  return graph != nullptr && std::ranges::count(graph->inputs(), name, &graph::Input::name) != 0;
}

}  // namespace

CoreStep::CoreStep(const graph::Graph& step, const Ports& ports, Memory& memory,
                   const DeviceSizes& sizes, int core, int threads)
    : ports_(ports),
      roles_(ports.inputs.size(), Role::kUnused),
      is_held_(ports.inputs.size()),
      held_(ports.inputs.size()) {
  std::vector<int> updated_by;
  for (const Port& input : ports_.inputs) updated_by.push_back(input.updated_by);
  lowering::SeparatedStep separated = lowering::separate_numbers(step, updated_by);
  for (const std::string& name : separated.fed) fed_.emplace(name, graph::Type{});
  for (const graph::Output& output : separated.numbers->outputs()) {
    const graph::Type& type = separated.numbers->type(output.value);
    number_outputs_.push_back(output.name);
    computed_[output.name].resize(static_cast<std::size_t>(graph::element_count(type.shape)));
  }
  for (std::size_t i = 0; i < ports_.inputs.size(); ++i) {
    const std::string& name = ports_.inputs[i].name;
    const bool is_unchanged = std::ranges::count(separated.unchanged, name) != 0;
    if (has_input(separated.numbers.get(), name)) {
      roles_[i] = Role::kNumber;
    } else if (has_input(separated.device.get(), name)) {
      roles_[i] = is_unchanged                      ? Role::kResident
                  : ports_.inputs[i].updated_by < 0 ? Role::kBatch
                                                    : Role::kState;
    } else if (is_unchanged) {
      roles_[i] = Role::kKept;
    }
  }
  if (!separated.numbers->outputs().empty()) {
    numbers_ = std::make_unique<graph::CpuProgram>(*separated.numbers, threads);
    for (const graph::Input& input : separated.numbers->inputs()) {
      const auto port = std::ranges::find(ports_.inputs, input.name, &Port::name);
      number_inputs_.push_back(static_cast<std::size_t>(port - ports_.inputs.begin()));
    }
  }
  if (separated.device == nullptr) return;
  for (const graph::Input& input : separated.device->inputs()) {
    if (fed_.contains(input.name)) fed_[input.name] = separated.device->type(input.value);
  }
  std::set<std::string> resident;
  for (std::size_t i = 0; i < ports_.inputs.size(); ++i) {
    if (roles_[i] == Role::kResident) resident.insert(ports_.inputs[i].name);
  }
  step_ = std::make_unique<lowering::StepProgram>(
      *separated.device, memory,
      lowering::StepProgram::Options{
          .sizes = sizes, .most_steps = 1, .resident = resident, .core = core});
}

void CoreStep::take(BufferList inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = ports_.inputs[i];
    if (inputs[i]->data != nullptr || is_held_[i] || port.size_bytes == 0) continue;
    throw std::invalid_argument(fmt::format(
        "input {} ('{}') is not on the device: give it, as in the first run", i, port.name));
  }
  if (step_ && feed_.empty()) feed_ = step_->make_feed();
  Words wide;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = ports_.inputs[i];
    if (inputs[i]->data == nullptr || roles_[i] == Role::kUnused) continue;
    const auto* words = static_cast<const std::uint32_t*>(widened(port, inputs[i]->data, wide));
    const std::size_t count = count_of(port);
    if (roles_[i] == Role::kBatch) {
      step_->set_batch(feed_, port.name, words, static_cast<std::int64_t>(count));
      continue;
    }
    if (roles_[i] != Role::kState) held_[i].assign(words, words + count);
    if (roles_[i] == Role::kState || roles_[i] == Role::kResident) {
      step_->write_state(port.name, {reinterpret_cast<const float*>(words), count});
    }
    is_held_[i] = true;
  }
  compute_numbers();
  if (step_) feed_numbers();
}

void CoreStep::compute_numbers() {
  if (!numbers_) return;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (const std::size_t input : number_inputs_) inputs.push_back(held_[input].data());
  for (const std::string& output : number_outputs_) outputs.push_back(computed_[output].data());
  numbers_->run(inputs, outputs);
}

void CoreStep::feed_numbers() {
  std::map<std::string, double> scalars;
  for (const auto& [name, type] : fed_) {
    const Words& words = computed_.at(name);
    if (type.rank() == 0) {
      scalars.emplace(name, number_of(type.element, words[0]));
    } else {
      step_->set_batch(feed_, name, words.data(), std::ssize(words));
    }
  }
  step_->set_random(feed_, scalars);
  step_->set_scalars(feed_, scalars);
  step_->write(0, feed_);
}

std::optional<PlacedProgram> CoreStep::start() {
  is_at_risk_ = is_held_;
  if (!step_) return {};
  is_held_.assign(is_held_.size(), false);  // a fault leaves the state between two steps
  return step_->program(1);
}

void CoreStep::finish() {
  is_held_ = is_at_risk_;
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const Port& port = ports_.inputs[i];
    if (roles_[i] != Role::kNumber || port.updated_by < 0) continue;
    held_[i] = computed_.at(ports_.outputs[static_cast<std::size_t>(port.updated_by)].name);
  }
}

void CoreStep::read_output(std::size_t output, void* data) {
  const Port& port = ports_.outputs[output];
  const int updated = ports_.updates[output];
  Words wide;
  auto* words = static_cast<std::uint32_t*>(place_of(port, data, wide));
  if (updated >= 0) {
    const auto input = static_cast<std::size_t>(updated);
    if (!is_held_[input]) {
      throw std::invalid_argument(
          fmt::format("output {} ('{}') was lost with the run that failed", output, port.name));
    }
    if (roles_[input] == Role::kState) {
      step_->read_state(ports_.inputs[input].name,
                        {reinterpret_cast<float*>(words), count_of(port)});
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
