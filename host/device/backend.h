#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "host/device/check_coverage.h"
#include "host/device/counters.h"
#include "host/device/device.h"
#include "host/device/device_sizes.h"
#include "host/device/memory.h"
#include "host/device/product.h"

namespace systole {

/// What every backend implements. One conformance suite tests them all.
///
/// Limits   arguments were checked by Queue and Device; a backend may assert, not re-check
/// Errors   execute throws DeviceError for a fault of the device; which products are done is then
///          unknown
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual bool supports(DataType type) const = 0;
  virtual Memory& memory() = 0;
  /// Executes products in order: each sees what earlier ones wrote.
  virtual void execute(std::span<const Product> products) = 0;
  virtual Counters counters() const = 0;
  /// What programs of a caller's own are built for; none where the backend runs no programs.
  virtual std::optional<DeviceSizes> sizes() const = 0;
  /// Runs such a program, which lies in memory(), and counts its clocks.
  ///
  /// Errors   std::invalid_argument where the backend runs no programs; DeviceError for a fault
  virtual void run(const PlacedProgram& program) = 0;
  /// Set if a second device recomputes part of the results.
  virtual std::optional<CheckCoverage> check_coverage() const { return std::nullopt; }
  /// As Device::watch_programs.
  virtual void watch_programs(ProgramWatcher watcher);
};

}  // namespace systole
