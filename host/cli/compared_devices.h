#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/device/device.h"

namespace systole {

/// A device in a comparison: rtl:10 is the first ten steps on `rtl`, model@128x700 is `model` with
/// a 128 x 128 array at 700 MHz, model@tpu-v2-core is `model` in that configuration, model*8 is
/// eight cores of `model` that share each batch. A device at a place is named with it:
/// pjrt:/a/plugin.so:10.
struct ComparedDevice {
  std::string name;
  int cores = 1;
  std::optional<std::int64_t> steps = {};  ///< empty: the whole training
  std::optional<int> array_size = {};      ///< empty: as set by --array and --clock-mhz
  std::optional<double> clock_mhz = {};
  std::string configuration = {};  ///< a name or a file, as for --config; empty: the command's

  /// "model", or "model*8".
  std::string words() const;

  /// `machine` with this device's own settings.
  DeviceOptions on(DeviceOptions machine) const;

  /// Why the device has no use for an option of add_machine_options, which may be that it has a
  /// setting of its own; else empty.
  std::string reason_unused(std::string_view option) const;

  friend bool operator==(const ComparedDevice&, const ComparedDevice&) = default;
};

/// Reads "cpu,model,model@128x700,model*8@tpu-v2-core,rtl:10". A plain `rtl` gets kRtlSteps,
/// because it is simulated clock by clock.
///
/// Errors   UsageError for an empty list or name, a device named twice, an invalid size, clock or
///          number of cores or steps, and anything that add_configuration_option refuses
std::vector<ComparedDevice> parse_devices(const std::string& list);
inline constexpr std::int64_t kRtlSteps = 10;

}  // namespace systole
