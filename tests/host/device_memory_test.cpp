#include "host/device/device_memory.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "host/device/device.h"

namespace systole {
namespace {

std::vector<std::byte> counting_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i + 1);
  return bytes;
}

}  // namespace

TEST_CASE("device memory returns what was written, at any offset in a block", "[device_memory]") {
  DeviceMemory memory;
  const std::uint64_t address = memory.allocate(100);
  const auto written = counting_bytes(40);
  memory.write(address + 60, written);
  std::vector<std::byte> back(40);
  memory.read(address + 60, back);
  CHECK(back == written);
}

TEST_CASE("device memory is zero until it is written", "[device_memory]") {
  DeviceMemory memory;
  const std::uint64_t first = memory.allocate(65);
  memory.write(first, counting_bytes(65));
  memory.free(first);
  for (const int value : memory.elements<int>(memory.allocate(64), 16)) CHECK(value == 0);
}

TEST_CASE("blocks are aligned, apart, and never at address 0", "[device_memory]") {
  DeviceMemory memory;
  std::uint64_t end = 1;
  for (const std::int64_t size : {1, 63, 64, 65, 129, 1}) {
    const std::uint64_t address = memory.allocate(size);
    CHECK(address % DeviceMemory::kAlignment == 0);
    CHECK(address >= end);
    end = address + static_cast<std::uint64_t>(size);
  }
  CHECK(memory.block_count() == 6);
}

TEST_CASE("a freed gap is reused by blocks that fit into it", "[device_memory]") {
  DeviceMemory memory;
  memory.allocate(64);
  const std::uint64_t gap = memory.allocate(128);
  const std::uint64_t last = memory.allocate(64);
  memory.free(gap);
  CHECK(memory.allocate(129) > last);
  CHECK(memory.allocate(128) == gap);
}

TEST_CASE("device memory refuses an access that leaves its block", "[device_memory]") {
  DeviceMemory memory;
  const std::uint64_t address = memory.allocate(100);
  std::array<std::byte, 101> bytes{};
  CHECK_THROWS_AS(memory.write(address, bytes), DeviceError);
  CHECK_THROWS_AS(memory.read(address + 100, std::span(bytes).first(1)), DeviceError);
  CHECK_THROWS_AS(memory.read(address - 1, std::span(bytes).first(1)), DeviceError);
  CHECK_THROWS_AS(memory.elements<int>(address, 26), DeviceError);
  CHECK_THROWS_AS(memory.elements<int>(0, 1), DeviceError);
  CHECK_NOTHROW(memory.read(address + 100, std::span(bytes).first(0)));
}

TEST_CASE("device memory refuses blocks beyond its capacity, and stays usable", "[device_memory]") {
  DeviceMemory memory(256);
  const std::uint64_t address = memory.allocate(129);  // occupies 192
  CHECK_THROWS_WITH(memory.allocate(65), Catch::Contains("65 bytes"));
  CHECK_THROWS_AS(memory.allocate(std::numeric_limits<std::int64_t>::max()), DeviceError);
  CHECK_THROWS_AS(memory.allocate(0), DeviceError);
  CHECK_NOTHROW(memory.allocate(64));
  memory.free(address);
  CHECK(memory.used_bytes() == 64);
}

TEST_CASE("device memory refuses to free an address at which no block starts", "[device_memory]") {
  DeviceMemory memory;
  const std::uint64_t address = memory.allocate(100);
  CHECK_THROWS_AS(memory.free(address + 64), DeviceError);
  memory.free(address);
  CHECK_THROWS_AS(memory.free(address), DeviceError);
}

}  // namespace systole
