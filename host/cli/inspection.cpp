#include "host/cli/inspection.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/cli/device_options.h"
#include "host/cli/file_options.h"
#include "host/cli/usage_error.h"
#include "host/data/atomic_file.h"
#include "sim/device/device_info.h"
#include "sim/timeline/timeline.h"
#include "sim/timeline/traced_replay.h"

namespace systole {

void add_inspection_options(CLI::App& command, InspectionOptions& options, bool steps) {
  writes_file(command
                  .add_option("--timeline", options.timeline_path,
                              "Also write what each engine did in each clock, for ui.perfetto.dev")
                  ->type_name("FILE.json"));
  if (steps) {
    add_count(command, "--timeline-step", options.timeline_step, "Which step of the run, from 1",
              "STEP");
  }
  auto* trace = add_trace_options(
      command, options.trace,
      "Also write the signals of a program's RTL, for GTKWave; after a fault, those of the clocks "
      "before it",
      "program");
  command
      .add_option("--trace-program", options.trace_program, "Which of the run's programs, from 0")
      ->needs(trace)
      ->check(CLI::NonNegativeNumber)
      ->type_name("INDEX")
      ->capture_default_str();
}

Inspection::Inspection(const InspectionOptions& options, const Device& device,
                       const DeviceOptions& machine)
    : options_(options), device_(device), memory_(sim::memory_behaviour(machine)) {
  if (!options_.asked()) return;
  as_usage([this] {
    device_.watch_programs(
        [this](const PlacedProgram& program, Memory& memory) { watch(program, memory); });
  });
  if (!options_.timeline_path.empty()) need_writable(options_.timeline_path);
  if (options_.trace.asked()) require_traceable(options_.trace, device.info().array_size);
}

Inspection::~Inspection() {
  if (!options_.asked()) return;
  try {
    device_.watch_programs({});
  } catch (const std::exception&) {
    // The constructor has already refused this.
  }
}

void Inspection::watch(const PlacedProgram& program, const Memory& memory) {
  if (on_ && !options_.timeline_path.empty()) {
    shown_.push_back(sim::keep(program, memory, false));
  }
  if (options_.trace.asked()) {
    last_ = sim::keep(program, memory, true);
    if (programs_ == options_.trace_program) traced_ = last_;
  }
  ++programs_;
}

void Inspection::begin() {
  on_ = true;
  before_ = device_.counters();
}

void Inspection::end() {
  if (!on_) return;
  on_ = false;
  counted_ += device_.counters() - before_;
}

void Inspection::write() {
  if (!options_.timeline_path.empty()) write_timeline();
  if (options_.trace.asked()) write_trace();
}

void Inspection::write_timeline() {
  if (shown_.empty()) {
    throw std::runtime_error("no timeline was written: the run has no such step");
  }
  const sim::Timeline timeline = sim::record_timeline(shown_, device_.info().array_size, memory_);
  if (timeline.counts != counted_.counts) {
    throw std::runtime_error(
        "the timeline's clocks differ from the device's counters; this is a defect, please "
        "report it with the command");
  }
  write_file_atomically(options_.timeline_path, sim::trace_events(timeline));
  fmt::print("timeline: {}, {} program{}, {} clocks; open it in ui.perfetto.dev\n",
             options_.timeline_path, shown_.size(), shown_.size() == 1 ? "" : "s", timeline.clocks);
}

void Inspection::write_trace() {
  if (!traced_) {
    throw std::runtime_error(
        fmt::format("no trace was written: the run has {} programs, counted "
                    "from 0, so --trace-program {} is too large",
                    programs_, options_.trace_program));
  }
  const auto traced =
      sim::trace_program(*traced_, device_.info().array_size, traced_clocks(options_.trace),
                         options_.trace.path, memory_);
  fmt::print("trace: {}, of program {}, whose clock 0 is the time {}; a clock takes 2\n",
             options_.trace.path, options_.trace_program, 2 * traced.first_clock);
}

void Inspection::write_failure() {
  if (!options_.trace.asked() || !last_) return;
  sim::trace_program(*last_, device_.info().array_size, {.before_end = sim::kClocksBeforeFailure},
                     options_.trace.path, memory_);
  fmt::print(stderr, "trace: {}, the last {} clocks of program {}, which failed\n",
             options_.trace.path, sim::kClocksBeforeFailure, programs_ - 1);
}

void inspect_training(const InspectionOptions& options, const Device& device,
                      const DeviceOptions& machine,
                      const std::function<void(nn::Callback&)>& train) {
  Inspection inspection(options, device, machine);
  InspectedStep step(inspection, options.timeline_step);
  try {
    train(step);
  } catch (const DeviceError&) {
    inspection.write_failure();
    throw;
  }
  inspection.write();
}

void InspectedStep::on_epoch_begin(nn::FitState& state) {
  if (state.steps_done() + 1 == step_) inspection_.begin();
}

void InspectedStep::on_step_end(nn::FitState& state) {
  inspection_.end();
  // The last step of an epoch is followed by the next epoch's beginning.
  const bool more = state.progress.step < state.progress.steps;
  if (more && state.steps_done() + 1 == step_) inspection_.begin();
}

}  // namespace systole
