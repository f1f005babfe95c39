#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "host/device/check_coverage.h"
#include "host/device/counters.h"
#include "host/device/device.h"
#include "host/device/device_sizes.h"
#include "host/device/memory.h"
#include "host/device/program_device.h"

namespace systole {

/// What every backend implements. One conformance suite tests them all.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual bool supports(DataType type) const = 0;
  virtual Memory& memory() = 0;
  virtual Counters counters() const = 0;
  /// What programs are built for; none where the backend runs none.
  virtual std::optional<DeviceSizes> sizes() const = 0;
  /// Runs a program, which lies in memory(), and counts its clocks.
  ///
  /// Errors   std::invalid_argument where the backend runs no programs; DeviceError for a fault:
  ///          its results are then unknown
  virtual void run(const PlacedProgram& program) = 0;
  /// Set if a second device recomputes part of the results.
  virtual std::optional<CheckCoverage> check_coverage() const { return std::nullopt; }
  /// As Device::watch_programs.
  virtual void watch_programs(ProgramWatcher watcher);
};

}  // namespace systole
