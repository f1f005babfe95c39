// Refusals of every backend, and that none changes the host's state.
#include <catch2/catch.hpp>
#include <limits>

#include "host/device/registry.h"
#include "tests/host/placed_products.h"
#include "tests/host/product_case.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 21;

Device open_default(const BackendEntry& entry) {
  DeviceOptions options;
  if (!entry.array_sizes.empty()) options.array_size = entry.array_sizes.front();
  return Device::open(entry.info.name, options);
}

constexpr Product kSmall{.rows = 5, .depth = 6, .cols = 7};

}  // namespace

TEST_CASE("every device describes itself in one line", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    const DeviceInfo info = open_default(entry).info();
    INFO(entry.info.name);
    CHECK(info.name == entry.info.name);
    CHECK_FALSE(info.description.empty());
    CHECK(info.description.find('\n') == std::string::npos);
    CHECK((info.array_size > 0) == info.cycle_exact);
    CHECK((info.array_size > 0) == !info.clock_source.empty());
    CHECK((info.array_size > 0) == (info.clock_mhz > 0));
  }
}

TEST_CASE("every device opens with the requested options", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    for (const int size : entry.array_sizes) {
      const Device device = Device::open(entry.info.name, {.array_size = size, .clock_mhz = 123.5});
      CHECK(device.info().array_size == size);
      CHECK(device.info().clock_mhz == 123.5);
      CHECK(device.counters() == Counters{});
    }
  }
}

TEST_CASE("every device refuses an array that it does not have", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    if (entry.array_sizes.empty()) continue;
    for (const int size : {-4, 0, 1, 3, 5, 1000}) {
      CHECK_THROWS_AS(Device::open(entry.info.name, {.array_size = size}), std::invalid_argument);
    }
  }
}

TEST_CASE("every device multiplies bf16 and int8", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    const Device device = open_default(entry);
    INFO(entry.info.name);
    CHECK(device.supports(DataType::kBf16));
    CHECK(device.supports(DataType::kInt8));
    CHECK(device.supports(DataType::kFp32) == !device.backend().sizes());
  }
}

TEST_CASE("every device refuses more memory than it has, and stays usable", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    const Device device = open_default(entry);
    INFO(entry.info.name);
    Memory& memory = device.backend().memory();
    CHECK_THROWS_AS(memory.allocate(std::numeric_limits<std::int64_t>::max()), DeviceError);
    CHECK_THROWS_AS(memory.allocate(std::int64_t{1} << 50), DeviceError);
    if (device.backend().sizes()) CHECK_NOTHROW(run_case(make_case(kSmall, kSeed), device));
  }
}

TEST_CASE("the memory of every device keeps what was written to it", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    const Device device = open_default(entry);
    INFO(entry.info.name);
    Backend& backend = device.backend();
    for (const std::size_t size : {1U, 63U, 64U, 65U, 4097U}) {
      const std::vector<std::byte> ones(size, std::byte{0x11});
      const std::vector<std::byte> twos(size, std::byte{0x22});
      const MemoryBlock first = place(backend, ones), second = place(backend, twos);
      CHECK(read(backend, first.address(), std::ssize(ones)) == ones);
      CHECK(read(backend, second.address(), std::ssize(twos)) == twos);
      CHECK(first.address() % 64 == 0);
    }
  }
}

TEST_CASE("a program that faults counts no product, and the device stays usable", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    const Device device = open_default(entry);
    INFO(entry.info.name);
    Backend& backend = device.backend();
    if (!backend.sizes()) {
      CHECK_THROWS_WITH(backend.run({}), Catch::Contains("runs no programs"));
      continue;
    }
    const MemoryBlock block(backend.memory(), 4096);
    Product product = kSmall;
    product.a = product.b = block.address();
    product.c = block.address() + 2048;
    PlacedProducts placed(backend, {product});
    placed.program.end = product.c;
    CHECK_THROWS_WITH(backend.run(placed.program),
                      Catch::Contains("device fault: write window") && Catch::Contains("address"));
    CHECK(device.counters().products == 0);
    CHECK(device.counters().macs == 0);
    CHECK(run_case(make_case(kSmall, kSeed), device) ==
          reference_case(make_case(kSmall, kSeed), device.info().array_size));
  }
}

TEST_CASE("a program does not change how the host treats subnormals", "[conformance]") {
  // A backend that flushes on the host's own vector unit must put its mode back.
  const volatile float smallest_normal = std::numeric_limits<float>::min();
  for (const BackendEntry& entry : backends()) {
    const Device device = open_default(entry);
    INFO(entry.info.name);
    if (device.backend().sizes()) run_case(make_case(kSmall, kSeed), device);
    CHECK(smallest_normal / 2 > 0.0F);
  }
}

}  // namespace systole::tests
