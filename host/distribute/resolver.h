#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "host/device/device.h"

namespace systole {

/// No accelerator was found.
class NotConnected : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The device to connect to.
struct ResolverOptions {
  std::string device = {};        ///< "model", "rtl", ...; empty: $SYSTOLE_DEVICE or the default
  DeviceOptions machine = {};     ///< of each core; its threads are shared by all cores
  std::optional<int> cores = {};  ///< of each rank; empty: $SYSTOLE_DEVICE's, or the default
  std::optional<int> usual_cores = {};  ///< the default: 8, or 1 of the cpu
  bool cpu_if_none = false;             ///< fall back to the cpu if the device does not exist
};

/// Finds the device that a program runs on: the first of the four steps of a Cloud TPU program.
///
/// In this order: the option, $SYSTOLE_DEVICE (NAME or NAME:CORES, as in `model:4`, or
/// `board:PORT`), the first accelerator of this build. A device has 8 cores by default, like a TPU
/// v2 board; the cpu has one, and so has a board.
///
/// Errors   NotConnected ("not connected to a TPU runtime: ...") if the device does not exist and
///          cpu_if_none is not set, with the existing devices and what to do; std::invalid_argument
///          for a number of cores that is not 1..kMostCores, or a malformed $SYSTOLE_DEVICE
class Resolver {
 public:
  static constexpr int kDefaultCores = 8;
  static constexpr int kMostCores = 1024;

  static Resolver connect(const ResolverOptions& options = {});

  const std::string& device() const { return device_; }
  const DeviceOptions& machine() const { return machine_; }
  int cores() const { return cores_; }
  /// What named the device: "option", "$SYSTOLE_DEVICE" or "default".
  const std::string& named_by() const { return named_by_; }
  /// Why this is the cpu although an accelerator was requested; empty otherwise.
  const std::string& why_cpu() const { return why_cpu_; }

 private:
  Resolver() = default;

  std::string device_;
  DeviceOptions machine_;
  int cores_ = 1;
  std::string named_by_;
  std::string why_cpu_;
};

}  // namespace systole
