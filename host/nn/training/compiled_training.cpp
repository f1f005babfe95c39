#include "host/nn/training/compiled_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace systole::nn {

CompiledTraining::CompiledTraining(const Device& device, Options options)
    : device_(device), options_(std::move(options)) {
  need_precision(device, options_.precision);
  if (options_.steps < 1) {
    throw std::invalid_argument(fmt::format("steps_per_execution is {}, not >= 1", options_.steps));
  }
}

CompiledTraining::Program& CompiledTraining::program_of(const Shape& batch) {
  Program& program = programs_[batch];
  if (!program.runner) {
    program.graph = options_.write(batch);
    program.has_score =
        std::ranges::count(program.graph.graph->outputs(), "loss", &graph::Output::name) > 0;
    program.runner = StepRunner::compile(program.graph, device_,
                                         {.precision = options_.precision,
                                          .most_steps = options_.steps,
                                          .seed = options_.seed,
                                          .core = options_.core});
  }
  return program;
}

std::vector<std::uint64_t> CompiledTraining::versions() const {
  std::vector<std::uint64_t> versions;
  for (const Parameter* parameter : options_.parameters) versions.push_back(parameter->version);
  return versions;
}

std::vector<CompiledTraining::Shared> CompiledTraining::shared() const {
  std::vector<Shared> all;
  if (newest_ == nullptr) return all;
  for (const TrainingGraph::State& state : newest_->graph.states) {
    const lowering::SharedColumns columns = newest_->runner->shared(state.input);
    if (columns.block == 0) continue;
    const auto place = std::ranges::find(options_.parameters, state.parameter);
    all.push_back({.parameter = static_cast<std::size_t>(place - options_.parameters.begin()),
                   .slot = state.slot,
                   .columns = columns});
  }
  return all;
}

// What a core has of a state stays its own: the host does not have the other cores' then.
void CompiledTraining::need_same_columns(const Program& program) const {
  for (const TrainingGraph::State& state : program.graph.states) {
    if (program.runner->shared(state.input) == newest_->runner->shared(state.input)) continue;
    throw DeviceError(
        fmt::format("cores share {} in other columns for another batch; please report this with "
                    "the network and its options",
                    state.input));
  }
}

void CompiledTraining::bring_state_to(Program& program) {
  if (newest_ == &program && versions() == versions_) return;
  if (is_ahead_ && newest_ != &program) need_same_columns(program);
  if (versions() == versions_) read_back();
  for (const TrainingGraph::State& state : program.graph.states) {
    if (state.slot == TrainingGraph::State::kGradient) continue;
    program.runner->write_state(state.input, state.values());
  }
  newest_ = &program;
  is_ahead_ = false;
  versions_ = versions();
}

CompiledTraining::Prepared CompiledTraining::prepare(const Shape& batch,
                                                     std::span<const Input> inputs,
                                                     const StepScalars& scalars) const {
  return {.batch = batch,
          .scalars = scalars,
          .feed = programs_.at(batch).runner->prepare(inputs, scalars)};
}

void CompiledTraining::add(Prepared batch, std::optional<float> rate) {
  if (waiting_ == 0) next_ = &program_of(batch.batch);
  if (rate && std::exchange(batch.scalars.rate, *rate) != *rate) {
    next_->runner->set_rate(batch.feed, batch.scalars);
  }
  next_->runner->write(waiting_, std::move(batch.feed));
  ++waiting_;
}

/// The number of steps.
std::int64_t CompiledTraining::begin() {
  launched_ = std::exchange(waiting_, 0);
  bring_state_to(*next_);
  return launched_;
}

std::vector<Score> CompiledTraining::run() {
  next_->runner->run(begin());
  return finish();
}

PlacedProgram CompiledTraining::start() { return next_->runner->program(begin()); }

std::vector<Score> CompiledTraining::finish() {
  is_ahead_ = std::ranges::any_of(next_->graph.states, &TrainingGraph::State::is_updated);
  std::vector<Score> scores;
  for (std::int64_t i = 0; next_->has_score && i < launched_; ++i) {
    float loss = 0, accuracy = 0;
    next_->runner->read_output(i, "loss", {&loss, 1});
    next_->runner->read_output(i, "accuracy", {&accuracy, 1});
    scores.push_back({.loss = loss, .accuracy = accuracy});
  }
  return scores;
}

void CompiledTraining::read_output(const std::string& name, std::span<float> values) const {
  next_->runner->read_output(launched_ - 1, name, values);
}

void CompiledTraining::read_back() {
  if (!is_ahead_) return;
  for (const TrainingGraph::State& state : newest_->graph.states) {
    if (!state.is_updated) continue;
    newest_->runner->read_state(state.input, state.values());
    if (state.slot == TrainingGraph::State::kValue) ++state.parameter->version;
  }
  is_ahead_ = false;
  versions_ = versions();
}

double CompiledTraining::device_seconds() const {
  double seconds = 0;
  for (const auto& [batch, program] : programs_) {
    if (program.runner) seconds += program.runner->device_seconds();
  }
  return seconds;
}

Counters CompiledTraining::processor_products() const {
  Counters sum;
  for (const auto& [batch, program] : programs_) {
    if (program.runner) sum += program.runner->processor_products();
  }
  return sum;
}

double device_seconds(std::span<const CompiledTraining* const> all) {
  double seconds = 0;
  for (const CompiledTraining* steps : all) seconds += steps->device_seconds();
  return seconds;
}

Counters processor_products(std::span<const CompiledTraining* const> all) {
  Counters sum;
  for (const CompiledTraining* steps : all) sum += steps->processor_products();
  return sum;
}

}  // namespace systole::nn
