// Refusals of every backend, and that none changes the host's state.
#include <catch2/catch.hpp>
#include <limits>

#include "host/device/registry.h"
#include "tests/host/product_case.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 21;

Device open_default(const BackendEntry& entry) {
  DeviceOptions options;
  if (!entry.array_sizes.empty()) options.array_size = entry.array_sizes.front();
  return Device::open(entry.info.name, options);
}

Matmul small_shape() {
  Matmul shape;
  shape.rows = 5;
  shape.depth = 6;
  shape.cols = 7;
  return shape;
}

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

TEST_CASE("every device multiplies bf16 and int8, and refuses unsupported types", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    const Device device = open_default(entry);
    INFO(entry.info.name);
    CHECK(device.supports(DataType::kBf16));
    CHECK(device.supports(DataType::kInt8));
    if (device.supports(DataType::kFp32)) continue;
    Matmul product = small_shape();
    product.type = DataType::kFp32;
    product.a = product.b = product.c = device.allocate(1000);
    CHECK_THROWS_WITH(device.make_queue().matmul(product), Catch::Contains("multiplies"));
  }
}

TEST_CASE("every device refuses more memory than it has, and stays usable", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    const Device device = open_default(entry);
    INFO(entry.info.name);
    CHECK_THROWS_AS(device.allocate(std::numeric_limits<std::int64_t>::max()), DeviceError);
    CHECK_THROWS_AS(device.allocate(std::int64_t{1} << 50), DeviceError);
    CHECK_THROWS_AS(device.allocate(0), std::invalid_argument);
    CHECK_NOTHROW(run_case(make_case(small_shape(), kSeed), device));
  }
}

TEST_CASE("buffers of every device keep what was written to them", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    const Device device = open_default(entry);
    INFO(entry.info.name);
    Queue queue = device.make_queue();
    for (const std::size_t size : {1U, 63U, 64U, 65U, 4097U}) {
      const Buffer first = device.allocate(static_cast<std::int64_t>(size));
      const Buffer second = device.allocate(static_cast<std::int64_t>(size));
      const std::vector<std::byte> ones(size, std::byte{0x11});
      const std::vector<std::byte> twos(size, std::byte{0x22});
      std::vector<std::byte> back(size);
      queue.copy_to_device(ones, first);
      queue.copy_to_device(twos, second);
      queue.copy_to_host(first, back);
      CHECK(back == ones);
      queue.copy_to_host(second, back);
      CHECK(back == twos);
      CHECK(first.address() % 64 == 0);
    }
  }
}

TEST_CASE("a refused product changes no device's counters", "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    const Device device = open_default(entry);
    INFO(entry.info.name);
    Matmul product = small_shape();
    product.a = product.b = device.allocate(1000);
    product.c = device.allocate(5 * 7 * kSumSizeBytes - 1);
    Queue queue = device.make_queue();
    CHECK_THROWS_AS(queue.matmul(product), std::invalid_argument);
    queue.wait();
    CHECK(device.counters() == Counters{});
  }
}

TEST_CASE("a product does not change how the host treats subnormals", "[conformance]") {
  // A backend that flushes on the host's own vector unit must put its mode back.
  const volatile float smallest_normal = std::numeric_limits<float>::min();
  for (const BackendEntry& entry : backends()) {
    const Device device = open_default(entry);
    INFO(entry.info.name);
    run_case(make_case(small_shape(), kSeed), device);
    CHECK(smallest_normal / 2 > 0.0F);
  }
}

}  // namespace systole::tests
