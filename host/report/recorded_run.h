#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/device/counters.h"
#include "host/device/link.h"
#include "host/report/record_fields.h"

namespace systole {

/// The version of `train`'s and `compare`'s records; it grows when readers must change.
inline constexpr int kRecordSchema = 2;

/// The device of a recorded run.
struct RecordedDevice {
  std::string device, type;
  int threads = 1;
  bool clocked = false;  ///< runs on an array and counts its clocks; below what it alone has
  int array_size = 0;
  std::string memory, clock_source;
  double clock_mhz = 0;
  Link host_link;
  /// Of a plugin's device, whose times are measured: "cuda", "NVIDIA H200", "PJRT 0.112, ..."
  std::string platform, chip, plugin;
};

/// Clocks in which rows entered the array, the vector engine ran, and memory gave or took a beat.
struct RecordedBusy {
  std::uint64_t array = 0, vector = 0, reads = 0, writes = 0;
};

/// What a device counted in a run.
///
/// Units    cycles and stalls are simulated and exact; device_seconds is cycles at the clock
struct RecordedCounts {
  std::uint64_t cycles = 0, macs = 0;
  double utilization = 0, device_seconds = 0;
  Stalls stalls = {};
  std::optional<RecordedBusy> busy = {};
};

/// Joules a step, and how they are known: "estimated", "measured", "published power x processor
/// time". Of an estimate: its process and memory, its causes, which add up, and the whole in other
/// processes.
struct RecordedEnergy {
  std::string label, process, memory, source;
  double joules = 0, sample_joules = 0, epoch_joules = 0;
  NamedNumbers by_cause, other_processes;
  double processor_seconds = 0;  ///< a step's, where they are what joules follow from
};

/// What a training was and took besides.
///
/// Units    wall_seconds and host_seconds are measured, of the simulation if the device is clocked;
///          host_seconds is the part outside the device's copies and products
struct RecordedMeasures {
  std::int64_t samples = 0;  ///< of training, in the whole data set
  std::int64_t parameter_count = 0;
  int cores = 1;
  nlohmann::ordered_json about_cores;  ///< written only
  double wall_seconds = 0, host_seconds = 0;
  double programs_per_step = 0;  ///< doorbells, of all cores
  /// Of a step outside the device, over the device's simulated seconds; without the first execution
  /// if there are others.
  std::optional<double> host_share = {};
  std::int64_t infeed_bytes = 0;  ///< batches copied to the device
  double infeed_seconds = 0;  ///< of all batches of compiled steps over the host's link, modelled
  /// How often the device was started for steps; of the first time, the host's part of a step, in
  /// which it also waits for the first batches. 0 in older records.
  std::int64_t executions = 0;
  double first_host_seconds = 0;
  std::string checksum;       ///< of the bits of all trained weights, in the order of the layers
  std::string mark_checksum;  ///< the same after mark_step steps
};

/// One training, as `systole train --json` or Keras's callback records it (docs/records.md).
struct RecordedRun : RecordedDevice, RecordedCounts, RecordedMeasures {
  struct Epoch {
    double loss = 0, accuracy = 0;  ///< means over the epoch's training batches
    std::optional<double> held_out_loss, held_out_accuracy;  ///< on data held out from training
    double wall_seconds = 0;
  };

  std::string model, dataset;
  std::string configuration;  ///< the name of the device's configuration, if it has one
  std::string framework;      ///< that trained: "tensorflow 2.21.0"; empty for systole itself
  std::int64_t batch_size = 0, epochs = 0, steps_per_epoch = 0;
  std::int64_t steps_per_execution = 0;  ///< 0: products alone run on the device, as of TensorFlow
  std::string optimizer, schedule;
  double learning_rate = 0, weight_decay = 0, dropout = 0;
  std::optional<double> momentum, clip_norm;
  std::int64_t context = 0;  ///< of a model of text
  std::uint64_t seed = 0;
  /// How the data were normalised and augmented; "scale" and "none" by default.
  std::string normalization = "scale", augmentation = "none";
  bool resumed = false;
  std::string processor;  ///< of the machine that measured
  unsigned machine_threads = 0;
  nlohmann::ordered_json actions, check;  ///< written only

  std::optional<RecordedEnergy> energy;
  double first_step_seconds = 0, later_step_seconds = 0;
  /// The fastest tenth of all steps, and of their host parts, took at most this long.
  double fastest_tenth_step_seconds = 0, fastest_tenth_host_seconds = 0;
  double fastest_tenth_input_seconds =
      0;  ///< the same of gathering a batch, on a thread of its own
  std::vector<Epoch> epoch_results;
  std::vector<double> losses;
  std::string stopped;  ///< why it ended before the last epoch
  std::optional<double> test_loss, test_accuracy;
  std::int64_t peak_memory_bytes = 0;
  std::int64_t mark_step = 0;  ///< 0: no checksum was taken during training

  std::int64_t steps() const { return static_cast<std::int64_t>(losses.size()); }
  std::int64_t batches() const { return (samples + batch_size - 1) / batch_size; }
  bool is_plugin() const { return !platform.empty(); }
  bool runs_compiled_steps() const { return steps_per_execution > 0; }
  /// Whether the times below are of executions that had their batches ready.
  bool is_steady() const { return !runs_compiled_steps() || executions != 1; }
  bool whole_epochs() const { return steps_per_epoch == batches(); }

  /// Seconds of a step, measured parts at the pace of the fastest tenth, which other work on the
  /// machine disturbs least. On cpu the whole step; on a device its cycles at the clock plus the
  /// host's part, and the wait for the next batch if that takes longer.
  double step_seconds() const {
    if (!clocked) return fastest_tenth_step_seconds;
    return device_step_seconds() + host_step_seconds() + batch_wait_seconds();
  }
  /// The next batch is gathered, and copied to the device, while a step runs.
  double batch_wait_seconds() const {
    const double step = device_step_seconds() + host_step_seconds();
    return std::max({0.0, fastest_tenth_input_seconds - step, infeed_step_seconds() - step});
  }
  double infeed_step_seconds() const { return infeed_seconds / static_cast<double>(steps()); }
  double device_step_seconds() const { return device_seconds / static_cast<double>(steps()); }
  double host_step_seconds() const { return fastest_tenth_host_seconds; }

  double joules_a_sample() const {
    return energy ? energy->joules / static_cast<double>(batch_size) : 0;
  }

  /// Seconds of an epoch's batches at that pace.
  double epoch_seconds() const { return step_seconds() * static_cast<double>(batches()); }
};

/// What `train` writes, in the order of its fields; the `config` alone; and what other commands'
/// records have of it.
nlohmann::ordered_json write_run(const RecordedRun& run);
nlohmann::ordered_json write_config(const RecordedRun& run);
nlohmann::ordered_json write_device(const RecordedDevice& device);
nlohmann::ordered_json write_energy(const std::optional<RecordedEnergy>& energy);
/// Adds its fields: null but for macs unless the device is clocked.
void write_counts(nlohmann::ordered_json& record, const RecordedCounts& counts, bool clocked);

/// Reads one run; `where` names the file and the place in it for errors.
///
/// Errors   std::runtime_error for a missing key or a value of the wrong type
RecordedRun read_run(const nlohmann::ordered_json& record, const std::string& where);

/// A run that failed in `compare`.
struct FailedRun {
  std::string device, reason;
  std::int64_t batch_size = 0;
};

nlohmann::ordered_json write_failed(const FailedRun& run);

/// All runs of a record of `train` or `compare`.
struct RecordedRuns {
  std::vector<RecordedRun> runs;
  std::vector<FailedRun> failed;
};

/// Errors   std::runtime_error naming the file and what is wrong with it: unreadable, not JSON, a
///          record of another command or of an older schema, a key that is missing or wrong
RecordedRuns read_record(const std::filesystem::path& path);
RecordedRuns read_record(const nlohmann::ordered_json& record, const std::string& where);

/// The same without reading its runs.
nlohmann::ordered_json read_json(const std::filesystem::path& path);

}  // namespace systole
