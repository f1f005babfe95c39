#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/trace_options.h"
#include "host/device/device.h"
#include "host/nn/training/callback.h"
#include "sim/timeline/replay.h"

namespace systole {

/// The options of `train` and `gemm` to look into the device: a timeline of its engines, and its
/// signals.
struct InspectionOptions {
  std::string timeline_path;
  std::int64_t timeline_step = 2;  ///< of a training, from 1
  TraceOptions trace;              ///< its window in clocks of the program
  std::int64_t trace_program = 0;

  bool asked() const { return !timeline_path.empty() || trace.asked(); }
};

/// `steps`: the command has training steps, of which --timeline-step chooses one.
void add_inspection_options(CLI::App& command, InspectionOptions& options, bool steps);

/// Keeps the programs that a device runs and reruns them afterwards with everything visible; runs
/// are deterministic.
///
/// Errors   UsageError for a device that runs no programs, an array that cannot be traced, or an
///          invalid window; std::runtime_error for a file that cannot be written
class Inspection {
 public:
  /// `machine` holds the options that the device was opened with.
  Inspection(const InspectionOptions& options, const Device& device, const DeviceOptions& machine);
  ~Inspection();
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;

  /// The timeline shows the programs run between these two.
  void begin();
  void end();

  /// Writes the requested files and says where.
  void write();

  /// After a fault: if a trace was requested, writes the clocks before the end of the last program.
  void write_failure();

 private:
  void watch(const PlacedProgram& program, const Memory& memory);
  void write_timeline();
  void write_trace();

  InspectionOptions options_;
  Device device_;
  sim::MemoryBehaviour memory_;
  bool on_ = false;
  Counters before_, counted_;
  std::vector<sim::KeptProgram> shown_;  // in the timeline
  std::int64_t programs_ = 0;
  std::optional<sim::KeptProgram> traced_, last_;
};

/// Runs a training with a callback that shows its step `timeline_step`; then, or after a fault,
/// writes the requested files.
///
/// Errors   those of Inspection and of `train`
void inspect_training(const InspectionOptions& options, const Device& device,
                      const DeviceOptions& machine,
                      const std::function<void(nn::Callback&)>& train);

/// Shows one step of a training to an Inspection, without the validation around it.
class InspectedStep : public nn::Callback {
 public:
  InspectedStep(Inspection& inspection, std::int64_t step) : inspection_(inspection), step_(step) {}

  void on_epoch_begin(nn::FitState& state) override;
  void on_step_end(nn::FitState& state) override;

 private:
  Inspection& inspection_;
  std::int64_t step_;
};

}  // namespace systole
