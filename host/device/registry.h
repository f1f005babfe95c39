#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/device/backend_line.h"
#include "host/device/device.h"

namespace systole {

/// A backend by name: its default options, what it accepts, and how to make one.
///
/// Limits   options are checked against `array_sizes` before `make` or `make_at` sees them
struct BackendEntry {
  DeviceInfo info;               ///< info.name is the name that Device::open takes
  std::vector<int> array_sizes;  ///< the N it can be opened with; empty if it has no array
  std::string other_sizes = {};  ///< ends the error for another N: how to get it, if possible
  std::function<std::shared_ptr<Backend>(const DeviceOptions&)> make = {};
  /// Several, in a line with links; empty if it has none. `threads`: CPU threads that programs
  /// which run together may use.
  std::function<std::shared_ptr<BackendLine>(const DeviceOptions&, int cores, int threads)>
      make_line = {};
  /// A backend that is opened as NAME:PLACE has these instead of `make`; `place` is for help texts.
  std::string place = {};
  std::string types = {};  ///< what it multiplies: "bf16 int8"
  std::function<std::shared_ptr<Backend>(const DeviceOptions&, const std::string& place)> make_at =
      {};
};

/// Adds a backend; `cpu` is always there. host/backends.cpp calls it for every other one.
///
/// Errors   std::invalid_argument for a name that is taken, or an entry without a name or a maker
void register_backend(BackendEntry entry);

/// Every backend of this program that its name alone opens, `cpu` first, then in the order of
/// registration.
const std::vector<BackendEntry>& backends();

/// Those that need a place, as in `board:/dev/ttyUSB0`.
const std::vector<BackendEntry>& placed_backends();

}  // namespace systole
