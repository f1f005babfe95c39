#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "host/driver/check_coverage.h"
#include "host/driver/counters.h"
#include "host/driver/device.h"
#include "host/driver/memory.h"
#include "host/driver/product.h"

namespace systole {

/// What a backend must do; small enough to read at once. One conformance suite tests them all.
///
/// Limits   arguments were checked by Queue and Device; a backend may assert, not re-check
/// Errors   execute throws DeviceError for a fault of the device; which of the products are done
///          is not known then
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual bool supports(DataType type) const = 0;
  virtual Memory& memory() = 0;
  /// Products in their order: each sees what those before it wrote.
  virtual void execute(std::span<const Product> products) = 0;
  virtual Counters counters() const = 0;
  /// Where another device computes a part of it again; nothing elsewhere.
  virtual std::optional<CheckCoverage> check_coverage() const { return std::nullopt; }
  /// As Device::watch_programs.
  virtual void watch_programs(ProgramWatcher watcher);
};

}  // namespace systole
