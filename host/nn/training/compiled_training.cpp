#include "host/nn/training/compiled_training.h"

#include <chrono>

#include "host/compiler/program/step_program.h"
#include "host/device/backend.h"

namespace systole::nn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::map<std::string, double> scalars_of(const CompiledTraining::Place& place) {
  return {{"learning_rate", place.rate},
          {"update", static_cast<double>(place.update)},
          {"step", static_cast<double>(place.update - 1)},
          {"first_row", static_cast<double>(place.first_row)}};
}

}  // namespace

CompiledTraining::CompiledTraining(const Device& device, Options options)
    : device_(device), options_(std::move(options)) {
  if (!device_.backend().sizes()) {
    throw std::invalid_argument(fmt::format(
        "device '{}' runs no programs of compiled steps: use model or rtl", device_.info().name));
  }
  if (options_.steps < 1) {
    throw std::invalid_argument(fmt::format("steps_per_execution is {}, not >= 1", options_.steps));
  }
}

void CompiledTraining::need_lowered(std::int64_t rows) const {
  const TrainingGraph whole = options_.write(rows);
  lowering::lower_graph(*whole.graph, *device_.backend().sizes(), states_of(whole), quantization());
}

std::optional<lowering::Quantization> CompiledTraining::quantization() const {
  if (options_.precision != DataType::kInt8) return {};
  return lowering::Quantization{.seed = options_.seed};
}

CompiledTraining::~CompiledTraining() = default;

CompiledTraining::Program& CompiledTraining::program_of(std::int64_t rows) {
  const auto [entry, is_new] = programs_.try_emplace(rows);
  Program& program = entry->second;
  if (!program.step) {
    program.whole = options_.write(rows);
    Backend& backend = device_.backend();
    program.step = std::make_unique<lowering::StepProgram>(
        *program.whole.graph, backend.memory(),
        lowering::StepProgram::Options{.sizes = *backend.sizes(),
                                       .most_steps = options_.steps,
                                       .resident = states_of(program.whole),
                                       .quantization = quantization()});
  }
  return program;
}

void CompiledTraining::bring_state_to(Program& program) {
  std::vector<std::uint64_t> versions;
  for (const Parameter* parameter : options_.parameters) versions.push_back(parameter->version);
  if (newest_ == &program && versions == versions_) return;
  if (versions == versions_) read_back();
  for (const TrainingGraph::State& state : program.whole.states) {
    program.step->write_state(state.input, state.values());
  }
  newest_ = &program;
  is_ahead_ = false;
  versions_.clear();
  for (const Parameter* parameter : options_.parameters) versions_.push_back(parameter->version);
}

CompiledTraining::Prepared CompiledTraining::prepare(std::int64_t rows,
                                                     std::span<const Input> inputs,
                                                     const Place& place) const {
  const lowering::StepProgram& step = *programs_.at(rows).step;
  Prepared batch{.rows = rows, .place = place, .feed = step.make_feed()};
  for (const Input& input : inputs) {
    step.set_batch(batch.feed, input.name, input.values, input.count);
  }
  const auto scalars = scalars_of(place);
  step.set_random(batch.feed, scalars);
  step.set_scalars(batch.feed, scalars);
  return batch;
}

void CompiledTraining::add(Prepared batch, std::optional<float> rate) {
  if (waiting_ == 0) next_ = &program_of(batch.rows);
  if (rate && std::exchange(batch.place.rate, *rate) != *rate) {
    next_->step->set_scalars(batch.feed, scalars_of(batch.place));
  }
  const auto start = Clock::now();
  next_->step->write(waiting_, batch.feed);
  copy_seconds_ += seconds_since(start);
  fed_bytes_ = std::ssize(batch.feed);
  ++waiting_;
}

std::vector<Score> CompiledTraining::run() {
  const std::int64_t steps = std::exchange(waiting_, 0);
  bring_state_to(*next_);
  const auto start = Clock::now();
  device_.backend().run(next_->step->program(steps));
  device_seconds_ = std::exchange(copy_seconds_, 0) + seconds_since(start);
  is_ahead_ = true;
  std::vector<Score> scores;
  for (std::int64_t i = 0; i < steps; ++i) {
    scores.push_back(
        {.loss = next_->step->result(i, "loss"), .accuracy = next_->step->result(i, "accuracy")});
  }
  return scores;
}

void CompiledTraining::read_back() {
  if (!is_ahead_) return;
  for (const TrainingGraph::State& state : newest_->whole.states) {
    newest_->step->read_state(state.input, state.values());
  }
  is_ahead_ = false;
  versions_.clear();
  for (Parameter* parameter : options_.parameters) versions_.push_back(++parameter->version);
}

}  // namespace systole::nn
