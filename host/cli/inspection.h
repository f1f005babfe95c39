#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/trace_options.h"
#include "host/driver/device.h"
#include "host/nn/callbacks/callback.h"
#include "sim/timeline/replay.h"

namespace systole {

/// What `train` and `gemm` offer for looking into the device: a timeline of its engines, and its
/// signals.
struct InspectionOptions {
  std::string timeline_path;
  std::int64_t timeline_step = 2;  ///< of a training, from 1
  TraceOptions trace;              ///< its window in clocks of the program
  std::int64_t trace_program = 0;

  bool asked() const { return !timeline_path.empty() || trace.asked(); }
};

/// `steps`: the command does steps, so that --timeline-step chooses one.
void add_inspection_options(CLI::App& command, InspectionOptions& options, bool steps);

/// Keeps what a device runs, and runs it again afterwards with everything in view: runs are the
/// same every time.
///
/// Errors   UsageError for a device that runs no programs, an array that cannot be traced, or a
///          window that is none; std::runtime_error for a file that cannot be written
class Inspection {
 public:
  /// `machine` is what the device was opened with.
  Inspection(const InspectionOptions& options, const Device& device, const DeviceOptions& machine);
  ~Inspection();
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;

  /// The timeline shows what the device runs in between.
  void begin();
  void end();

  /// Writes what was asked for, and says where.
  void write();

  /// After a fault: writes the clocks before the end of the last program, where a trace was asked
  /// for.
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

/// Runs a training that is given a callback, which shows its step `timeline_step`; then, or after a
/// fault, writes what was asked for.
///
/// Errors   as Inspection's; what `train` throws
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
