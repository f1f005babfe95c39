#include "tests/host/fake_backend.h"

#include <memory>

#include "host/device/registry.h"

namespace systole::tests {

Device open_fake_device() {
  [[maybe_unused]] static const bool registered = [] {
    BackendEntry entry;
    entry.info.name = "fake";
    entry.array_sizes = {4, 8};
    entry.make = [](const DeviceOptions&) { return std::make_shared<FakeBackend>(); };
    register_backend(entry);
    return true;
  }();
  return Device::open("fake", {.array_size = 4});
}

}  // namespace systole::tests
