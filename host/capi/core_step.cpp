#include "host/capi/core_step.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "host/compiler/kernels/core_sums.h"
#include "host/compiler/kernels/element_operations.h"
#include "host/compiler/refusal.h"

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

/// What the device lacks, as far as it has refused it.
class Lacking {
 public:
  bool empty() const { return refused_.empty(); }

  /// Whether that brings anything new.
  bool add(const graph::Graph& step, const lowering::Unsupported& refused) {
    const auto& operations = step.operations();
    const bool is_new = std::ranges::any_of(operations, [&](const graph::Operation& operation) {
      return operation.kind->name == refused.operation() && operation.scope == refused.scope() &&
             !lowering::makes_product(operation) && !lowering::is_core_sum(operation) &&
             !has(step, operation);
    });
    if (is_new) refused_.emplace(refused.operation(), refused.scope());
    if (is_new) kinds_.insert(refused.operation());
    return is_new;
  }
  bool has(const graph::Graph& step, const graph::Operation& operation) const {
    const std::string kind(operation.kind->name);
    if (refused_.contains({kind, operation.scope})) return true;
    return kinds_.contains(kind) && operation.kind->loop != nullptr &&
           !lowering::has_element_operation(step.call(operation));
  }

 private:
  std::set<std::pair<std::string, std::string>> refused_;  ///< operation and scope
  std::set<std::string> kinds_;
};

bool has_products(const graph::Graph& step) {
  return std::ranges::any_of(step.operations(), lowering::makes_product);
}

std::string described(const lowering::Unsupported& refused, const graph::Graph& step,
                      const Lacking& lacking, const std::vector<lowering::Stage>& stages) {
  std::set<std::string> kinds;
  for (const graph::Operation& operation : step.operations()) {
    if (lacking.has(step, operation)) kinds.emplace(operation.kind->name);
  }
  const auto count = [&](std::unique_ptr<graph::Graph> lowering::Stage::* part) {
    return std::ranges::count_if(stages, [&](const auto& one) { return (one.*part) != nullptr; });
  };
  const auto units = count(&lowering::Stage::host), programs = count(&lowering::Stage::device);
  return fmt::format("{}; on the host: {}, {} unit{} beside {} program{} of the device",
                     refused.what(), fmt::join(kinds, ", "), units, units == 1 ? "" : "s", programs,
                     programs == 1 ? "" : "s");
}

bool has_input(const graph::Graph* graph, const std::string& name) {
  return graph != nullptr && std::ranges::count(graph->inputs(), name, &graph::Input::name) != 0;
}

}  // namespace

CoreStep::CoreStep(const graph::Graph& step, const Ports& ports, Memory& memory,
                   const Options& options)
    : ports_(ports),
      roles_(ports.inputs.size(), Role::kUnused),
      needs_words_(ports.inputs.size()),
      homes_(ports.inputs.size(), -1),
      is_held_(ports.inputs.size()),
      held_(ports.inputs.size()) {
  std::vector<int> updated_by;
  for (const Port& input : ports_.inputs) updated_by.push_back(input.updated_by);
  const lowering::SeparatedStep separated = lowering::separate_numbers(step, updated_by);
  for (const graph::Output& output : separated.numbers->outputs()) {
    const graph::Type& type = separated.numbers->type(output.value);
    number_outputs_.push_back(output.name);
    computed_[output.name].resize(static_cast<std::size_t>(graph::element_count(type.shape)));
  }
  find_roles(separated);
  if (!separated.numbers->outputs().empty()) {
    numbers_ = std::make_unique<graph::CpuProgram>(*separated.numbers, options.threads);
    for (const graph::Input& input : separated.numbers->inputs()) {
      number_inputs_.push_back(input_named(input.name));
    }
  }
  if (separated.device != nullptr) compile(*separated.device, memory, options);
}

void CoreStep::find_roles(const lowering::SeparatedStep& separated) {
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
}

// Whole; or, as often as the device refuses an operation, in more stages.
void CoreStep::compile(const graph::Graph& step, Memory& memory, const Options& options) {
  Lacking lacking;
  std::optional<lowering::Unsupported> first;
  for (;;) {
    const std::vector<lowering::Stage> graphs = lowering::cut_stages(
        step, [&](const graph::Operation& operation) { return lacking.has(step, operation); });
    try {
      for (const lowering::Stage& stage : graphs) {
        stages_.push_back(make_stage(stage, memory, options));
      }
      for (const lowering::Stage& stage : graphs) sums_.push_back(stage.sums);
      if (first) on_host_ = described(*first, step, lacking, graphs);
      break;
    } catch (const lowering::Unsupported& refused) {
      stages_.clear();
      if (!first) first = refused;
      if (!options.has_host || !has_products(step) || !lacking.add(step, refused)) throw *first;
    }
  }
  for (const Stage& stage : stages_) {
    need_words(stage.fed);
    need_words(stage.read);
    for (const std::string& name : stage.updated) {
      homes_[input_named(name)] = static_cast<int>(&stage - stages_.data());
    }
  }
}

CoreStep::Stage CoreStep::make_stage(const lowering::Stage& graphs, Memory& memory,
                                     const Options& options) const {
  Stage stage;
  const auto named = [](const graph::Graph& graph, const auto& ports) {
    Named all;
    for (const auto& port : ports) all.emplace_back(port.name, graph.type(port.value));
    return all;
  };
  if (const graph::Graph* device = graphs.device.get()) {
    for (const graph::Input& input : device->inputs()) {
      const std::size_t port = input_named(input.name);
      const Role role = port < roles_.size() ? roles_[port] : Role::kUnused;
      if (input.updated_by >= 0) {
        stage.updated.insert(input.name);
      } else if (role == Role::kResident) {
        stage.resident.insert(input.name);
      } else if (role == Role::kBatch) {
        stage.batch.insert(input.name);
      } else {
        stage.fed.emplace_back(input.name, device->type(input.value));
      }
    }
    stage.device = std::make_unique<lowering::StepProgram>(
        *device, memory,
        lowering::StepProgram::Options{.sizes = options.sizes,
                                       .most_steps = 1,
                                       .resident = stage.resident,
                                       .core = options.core});
    for (const graph::Output& output : device->outputs()) {
      if (lowering::is_between(output.name)) {
        stage.given.emplace_back(output.name, device->type(output.value));
      } else {
        stage.outputs.insert(output.name);
      }
    }
  }
  if (const graph::Graph* host = graphs.host.get()) {
    stage.host = std::make_unique<graph::CpuProgram>(*host, options.threads, options.elsewhere);
    stage.read = named(*host, host->inputs());
    stage.made = named(*host, host->outputs());
  }
  return stage;
}

// Of the step's inputs.
void CoreStep::need_words(const Named& values) {
  for (const auto& [name, type] : values) {
    const std::size_t port = input_named(name);
    if (port < needs_words_.size()) needs_words_[port] = true;
  }
}

std::size_t CoreStep::input_named(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::find(ports_.inputs, name, &Port::name) -
                                  ports_.inputs.begin());
}

std::vector<std::string> CoreStep::own_products() const {
  std::vector<std::string> all;
  for (const Stage& stage : stages_) {
    if (!stage.host) continue;
    std::ranges::move(stage.host->own_products(), std::back_inserter(all));
  }
  return all;
}

void CoreStep::take(BufferList inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = ports_.inputs[i];
    if (inputs[i]->data != nullptr || is_held_[i] || port.size_bytes == 0) continue;
    throw std::invalid_argument(fmt::format(
        "input {} ('{}') is not on the device: give it, as in the first run", i, port.name));
  }
  for (Stage& stage : stages_) {
    if (stage.device && stage.feed.empty()) stage.feed = stage.device->make_feed();
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (roles_[i] == Role::kUnused) continue;
    if (inputs[i]->data != nullptr) {
      take_input(i, inputs[i]->data);
    } else if (roles_[i] == Role::kState && needs_words_[i]) {
      take_left(i);
    }
  }
  compute_numbers();
  is_at_risk_ = is_held_;
}

void CoreStep::take_input(std::size_t input, const void* data) {
  const Port& port = ports_.inputs[input];
  const Role role = roles_[input];
  Words wide;
  const auto* words = static_cast<const std::uint32_t*>(widened(port, data, wide));
  const std::size_t count = count_of(port);
  const bool is_fed = role == Role::kBatch || role == Role::kState;
  if (!is_fed || needs_words_[input]) held_[input].assign(words, words + count);
  for (Stage& stage : stages_) {
    if (stage.batch.contains(port.name)) {
      stage.device->set_batch(stage.feed, port.name, words, static_cast<std::int64_t>(count));
    } else if (stage.updated.contains(port.name) || stage.resident.contains(port.name)) {
      stage.device->write_state(port.name, {reinterpret_cast<const float*>(words), count});
    }
  }
  if (role != Role::kBatch) is_held_[input] = true;
}

// What the run before left on the device, for other stages.
void CoreStep::take_left(std::size_t input) {
  const Port& port = ports_.inputs[input];
  held_[input].resize(count_of(port));
  stages_[static_cast<std::size_t>(homes_[input])].device->read_state(
      port.name, {reinterpret_cast<float*>(held_[input].data()), held_[input].size()});
}

void CoreStep::compute_numbers() {
  if (!numbers_) return;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (const std::size_t input : number_inputs_) inputs.push_back(held_[input].data());
  for (const std::string& output : number_outputs_) outputs.push_back(computed_[output].data());
  numbers_->run(inputs, outputs);
}

const CoreStep::Words& CoreStep::words_of(const std::string& name) const {
  const auto computed = computed_.find(name);
  return computed != computed_.end() ? computed->second : held_[input_named(name)];
}

std::optional<PlacedProgram> CoreStep::start(std::size_t number) {
  if (number >= stages() || !stages_[number].device) return {};
  Stage& stage = stages_[number];
  std::map<std::string, double> scalars;
  for (const auto& [name, type] : stage.fed) {
    const Words& words = words_of(name);
    if (type.rank() == 0) {
      scalars.emplace(name, number_of(type.element, words[0]));
    } else {
      stage.device->set_batch(stage.feed, name, words.data(), std::ssize(words));
    }
  }
  stage.device->set_random(stage.feed, scalars);
  stage.device->set_scalars(stage.feed, scalars);
  stage.device->write(0, stage.feed);
  is_held_.assign(is_held_.size(), false);  // a fault leaves the state between two steps
  return stage.device->program(1);
}

void CoreStep::follow(std::size_t number) {
  if (number >= stages()) return;
  Stage& stage = stages_[number];
  const auto make_room = [&](const Named& values) {
    for (const auto& [name, type] : values) {
      computed_[name].resize(static_cast<std::size_t>(graph::element_count(type.shape)));
    }
  };
  make_room(stage.given);
  for (const auto& [name, type] : stage.given) {
    Words& words = computed_[name];
    stage.device->read_output(0, name, words.data(), std::ssize(words));
  }
  if (!stage.host) return;
  make_room(stage.made);
  std::vector<Words> truths;  // a processor's are 0 and 1
  truths.reserve(stage.read.size());
  std::vector<const void*> from;
  std::vector<void*> to;
  for (const auto& [name, type] : stage.read) {
    const Words* words = &words_of(name);
    if (type.element == Element::kPred) {
      words = &truths.emplace_back(*words);
      for (std::uint32_t& word : truths.back()) word = word != 0 ? 1 : 0;
    }
    from.push_back(words->data());
  }
  for (const auto& [name, type] : stage.made) to.push_back(computed_[name].data());
  stage.host->run(from, to);
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
      stages_[static_cast<std::size_t>(homes_[input])].device->read_state(
          ports_.inputs[input].name, {reinterpret_cast<float*>(words), count_of(port)});
    } else {
      std::ranges::copy(held_[input], words);
    }
  } else if (const auto computed = computed_.find(port.name); computed != computed_.end()) {
    std::ranges::copy(computed->second, words);
  } else {
    const auto stage = std::ranges::find_if(
        stages_, [&](const Stage& one) { return one.outputs.contains(port.name); });
    stage->device->read_output(0, port.name, words, static_cast<std::int64_t>(count_of(port)));
  }
  narrow(port, wide, data);
}

}  // namespace systole::capi
