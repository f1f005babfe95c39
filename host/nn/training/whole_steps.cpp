#include "host/nn/training/whole_steps.h"

#include <chrono>

#include "host/driver/backend.h"
#include "host/lowering/step_program.h"

namespace systole::nn {

WholeSteps::WholeSteps(const Device& device, Replica& replica, const Options& options)
    : device_(device), replica_(replica), options_(options) {
  if (!device_.backend().sizes()) {
    throw std::invalid_argument(fmt::format(
        "device '{}' runs no programs of whole steps: use model or rtl", device_.info().name));
  }
  // Any number of rows shows whether the layers can be lowered.
  const WholeStep whole =
      replica_.whole_step(1, options_.loss, options_.optimizer, options_.clip_norm);
  lowering::lower_graph(*whole.graph, device_.info().array_size, states_of(whole));
}

WholeSteps::~WholeSteps() = default;

WholeSteps::Program& WholeSteps::program_of(std::int64_t rows) {
  const auto [entry, is_new] = programs_.try_emplace(rows);
  Program& program = entry->second;
  if (!program.step) {
    program.whole =
        replica_.whole_step(rows, options_.loss, options_.optimizer, options_.clip_norm);
    Backend& backend = device_.backend();
    program.step = std::make_unique<lowering::StepProgram>(
        *program.whole.graph, backend.memory(),
        lowering::StepProgram::Options{.sizes = *backend.sizes(),
                                       .most_steps = options_.steps,
                                       .resident = states_of(program.whole)});
  }
  return program;
}

void WholeSteps::bring_state_to(Program& program) {
  std::vector<std::uint64_t> versions;
  for (const Parameter* parameter : replica_.parameters()) versions.push_back(parameter->version);
  if (newest_ == &program && versions == versions_) return;
  if (versions == versions_) read_back();
  for (const WholeStep::State& state : program.whole.states) {
    program.step->write_state(state.input, state.values());
  }
  newest_ = &program;
  is_ahead_ = false;
  versions_.clear();
  for (const Parameter* parameter : replica_.parameters()) versions_.push_back(parameter->version);
}

void WholeSteps::add(const Tensor& inputs, std::span<const std::int32_t> labels, float rate,
                     std::int64_t update) {
  if (waiting_ == 0) next_ = &program_of(inputs.rows);
  next_->step->write_batch(waiting_, "x", inputs.values.data(), std::ssize(inputs.values));
  next_->step->write_batch(waiting_, "labels", labels.data(), std::ssize(labels));
  next_->step->write_scalars(waiting_, {{"learning_rate", rate},
                                        {"update", static_cast<double>(update)},
                                        {"step", static_cast<double>(update - 1)},
                                        {"first_row", 0}});
  ++waiting_;
}

std::vector<Score> WholeSteps::run() {
  const std::int64_t steps = std::exchange(waiting_, 0);
  bring_state_to(*next_);
  const auto start = std::chrono::steady_clock::now();
  device_.backend().run(next_->step->program(steps));
  run_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  is_ahead_ = true;
  std::vector<Score> scores;
  for (std::int64_t i = 0; i < steps; ++i) {
    scores.push_back(
        {.loss = next_->step->result(i, "loss"), .accuracy = next_->step->result(i, "accuracy")});
  }
  return scores;
}

void WholeSteps::read_back() {
  if (!is_ahead_) return;
  for (const WholeStep::State& state : newest_->whole.states) {
    newest_->step->read_state(state.input, state.values());
  }
  is_ahead_ = false;
  versions_.clear();
  for (Parameter* parameter : replica_.parameters()) versions_.push_back(++parameter->version);
}

}  // namespace systole::nn
