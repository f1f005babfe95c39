#include "tests/host/fake_backend.h"

#include <fmt/format.h>

#include <utility>

#include "host/device/registry.h"

namespace systole::tests {
namespace {

std::shared_ptr<FakeBackend> newest_fake;

}  // namespace

FakeBackend::FakeBackend() { info_.name = "fake"; }

void FakeBackend::LoggedMemory::write(std::uint64_t address, std::span<const std::byte> source) {
  log.push_back(fmt::format("write {}", source.size()));
  bytes.write(address, source);
}

void FakeBackend::LoggedMemory::read(std::uint64_t address,
                                     std::span<std::byte> destination) const {
  log.push_back(fmt::format("read {}", destination.size()));
  bytes.read(address, destination);
}

void FakeBackend::execute(std::span<const Product> products) {
  batches.push_back(products.size());
  for (const Product& product : products) {
    log.push_back("execute " + describe(product));
    if (executions_until_fault >= 0 && executions_until_fault-- == 0) {
      throw DeviceError("fake fault");
    }
  }
}

FakeDevice open_fake_device() {
  static const bool registered = [] {
    BackendEntry entry;
    entry.info.name = "fake";
    entry.array_sizes = {4, 8};
    entry.make = [](const DeviceOptions&) { return newest_fake = std::make_shared<FakeBackend>(); };
    register_backend(entry);
    return true;
  }();
  static_cast<void>(registered);
  Device device = Device::open("fake", {.array_size = 4});
  return {device, std::exchange(newest_fake, nullptr)};
}

}  // namespace systole::tests
