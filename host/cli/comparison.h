#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/training_run.h"
#include "host/driver/device.h"

namespace systole {

/// A device in a comparison; rtl:10 is the first ten steps on `rtl`.
struct ComparedDevice {
  std::string name;
  std::optional<std::int64_t> steps;  ///< empty: the whole training
};

/// Reads "cpu,model,rtl:10". A plain `rtl` gets kRtlSteps, for it is simulated clock by clock.
///
/// Errors   UsageError for an empty list or name, a device named twice, or steps that are not 1 or
/// more
std::vector<ComparedDevice> parse_devices(const std::string& list);
inline constexpr std::int64_t kRtlSteps = 10;

/// One training among those compared.
struct ComparedRun {
  DeviceInfo info;
  TrainingPlan plan;
  TrainingResult result;

  std::int64_t steps() const { return static_cast<std::int64_t>(result.history.losses.size()); }

  /// Units   seconds of a mean step: measured, measured outside products, and simulated cycles of
  ///         its products at the device's clock (0 on cpu)
  double wall_step_seconds() const;
  double host_step_seconds() const { return result.host_seconds / static_cast<double>(steps()); }
  double device_step_seconds() const;

  /// What a step takes where it runs: on cpu as measured; on a device the products at its clock,
  /// and the host's part as measured.
  double step_seconds() const;
};

/// Whether two bit-exact devices did the same, over the steps that both have done.
struct Agreement {
  std::string first, second;
  std::int64_t batch_size = 0;
  std::int64_t steps = 0;
  bool losses_equal = false;
  bool weights_equal = false;
  std::string checksum;  ///< of the first's weights after those steps
};

/// Every run of the comparison, batch size by batch size, in the order of the devices.
struct Comparison {
  std::int64_t samples = 0;  ///< in an epoch
  std::vector<ComparedRun> runs = {};

  std::vector<std::int64_t> batch_sizes() const;
  std::vector<const ComparedRun*> of_batch_size(std::int64_t batch_size) const;
  std::vector<Agreement> agreements() const;
};

/// "cpu, 1 thread, fp32", "model, 16 x 16 array, bf16".
std::string describe(const ComparedRun& run);

/// The recorded comparison as JSON: `runs` in the words of `train`, and `agreements`.
nlohmann::ordered_json comparison_record(const Comparison& comparison);

}  // namespace systole
