#include "tests/lowering/interpreted_device.h"

#include "host/device/accelerator_backend.h"
#include "host/device/registry.h"

namespace systole::tests {

Device open_interpreted_device(int array_size) {
  static const bool registered = [] {
    BackendEntry entry;
    entry.info.name = "interpreted";
    entry.array_sizes = {4, 16};
    entry.make = [](const DeviceOptions& options) {
      return std::make_shared<AcceleratorBackend>(
          DeviceInfo{.name = "interpreted", .description = "commands, one by one"},
          std::make_unique<InterpretedDevice>(options.array_size));
    };
    register_backend(entry);
    return true;
  }();
  static_cast<void>(registered);
  return Device::open("interpreted", {.array_size = array_size});
}

}  // namespace systole::tests
