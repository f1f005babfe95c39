#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/driver/device.h"

namespace systole {

/// A backend by name: its default options, what it accepts, and how to make one.
///
/// Limits   options are checked against `array_sizes` before `make` sees them
struct BackendEntry {
  DeviceInfo info;               ///< info.name is the name that Device::open takes
  std::vector<int> array_sizes;  ///< the N it can be opened with; empty if it has no array
  std::string other_sizes = {};  ///< ends the error for another N: how to get it, if possible
  std::function<std::shared_ptr<Backend>(const DeviceOptions&)> make;
};

/// Adds a backend; `cpu` is always there. host/backends.cpp calls it for every other one.
///
/// Errors   std::invalid_argument for a name that is taken, or an entry without a name or a maker
void register_backend(BackendEntry entry);

/// Every backend of this program, `cpu` first, then in the order of registration.
const std::vector<BackendEntry>& backends();

}  // namespace systole
