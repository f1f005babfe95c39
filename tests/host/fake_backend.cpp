#include "tests/host/fake_backend.h"

#include <fmt/format.h>

#include <utility>

#include "host/driver/registry.h"

namespace systole::tests {
namespace {

std::shared_ptr<FakeBackend> newest_fake;

}  // namespace

FakeBackend::FakeBackend() { info_.name = "fake"; }

std::uint64_t FakeBackend::allocate(std::int64_t size_bytes) {
  return memory_.allocate(size_bytes);
}

void FakeBackend::free(std::uint64_t address) { memory_.free(address); }

void FakeBackend::write(std::uint64_t address, std::span<const std::byte> source) {
  log.push_back(fmt::format("write {}", source.size()));
  memory_.write(address, source);
}

void FakeBackend::read(std::uint64_t address, std::span<std::byte> destination) {
  log.push_back(fmt::format("read {}", destination.size()));
  memory_.read(address, destination);
}

void FakeBackend::execute(std::span<const Product> products) {
  batches.push_back(products.size());
  for (std::size_t i = 0; i < products.size(); ++i) {
    log.push_back("execute " + describe(products[i].matmul));
    if (executions_until_fault >= 0 && executions_until_fault-- == 0) {
      throw DeviceError("fake fault", i);
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
