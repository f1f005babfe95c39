#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/report/recorded_run.h"

namespace systole {

/// "cpu, 1 thread, fp32"; "model, 16 x 16 array at 200 MHz, bf16"; "pjrt, NVIDIA H200 (cuda),
/// bf16": what a run ran on. Runs with equal subjects belong together.
std::string subject_of(const RecordedRun& run);

/// Whether two bit-exact devices agree over the steps that both ran.
struct Agreement {
  std::string first, second;
  std::int64_t batch_size = 0;
  std::int64_t steps = 0;
  bool losses_equal = false;
  bool weights_equal = false;
  std::string checksum;  ///< of the first's weights after those steps
};

/// The CPU against one device, at the batch sizes that both have run.
struct Duel {
  struct Round {
    const RecordedRun* cpu;
    const RecordedRun* device;
    bool device_wins() const { return device->step_seconds() < cpu->step_seconds(); }
    double ratio() const;  ///< the loser's time divided by the winner's, 1 or more
  };
  std::vector<Round> rounds;  ///< batch sizes ascending; not empty

  /// Who wins from which batch size on, in one sentence.
  std::string crossover() const;
};

/// Trainings of one network on one data set, on several devices and batch sizes.
struct Comparison {
  std::vector<RecordedRun> runs;
  std::vector<FailedRun> failed = {};

  std::vector<std::string> subjects() const;      ///< in the order of the runs
  std::vector<std::int64_t> batch_sizes() const;  ///< ascending
  const RecordedRun* find(const std::string& subject, std::int64_t batch_size) const;
  std::vector<const RecordedRun*> of_subject(const std::string& subject) const;  ///< by batch size

  /// The subjects without those that repeat another's hardware, clock for clock (rtl after model).
  std::vector<std::string> distinct_subjects() const;

  std::vector<Agreement> agreements() const;
  std::vector<Duel> duels() const;  ///< the first CPU subject against each distinct device
};

/// Multiply-adds count twice, as usual.
///
/// Units    10^9 operations a second: the array's peak at its clock; the CPU's products, measured;
///          the array in the clocks of the run, simulated
double peak_gflops(const RecordedRun& run);
double measured_gflops(const RecordedRun& cpu);
double simulated_gflops(const RecordedRun& run);

/// Several records as one comparison. If two records hold the same run, the later one counts.
///
/// Errors   std::runtime_error if they hold different networks or data sets, or no run
Comparison join(const std::vector<RecordedRuns>& records);

}  // namespace systole
