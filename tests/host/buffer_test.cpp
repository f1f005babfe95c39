#include "host/device/buffer.h"

#include <catch2/catch.hpp>

#include "tests/host/fake_backend.h"

namespace systole {

TEST_CASE("a buffer's memory is freed with its last copy", "[buffer]") {
  auto [device, backend] = tests::open_fake_device();
  {
    Buffer first = device.allocate(10);
    const Buffer copy = first;
    first = Buffer{};
    CHECK(backend->live_blocks() == 1);
    CHECK(copy.size_bytes() == 10);
  }
  CHECK(backend->live_blocks() == 0);
}

TEST_CASE("buffers are equal when they are the same block", "[buffer]") {
  auto [device, backend] = tests::open_fake_device();
  const Buffer a = device.allocate(10);
  const Buffer b = device.allocate(10);
  const Buffer copy = a;
  CHECK(a == copy);
  CHECK_FALSE(a == b);
  CHECK(a.address() != b.address());
}

TEST_CASE("a buffer made by default is empty and belongs nowhere", "[buffer]") {
  auto [device, backend] = tests::open_fake_device();
  const Buffer none;
  CHECK_FALSE(none);
  CHECK(none.size_bytes() == 0);
  CHECK_FALSE(none.belongs_to(*backend));
  CHECK(device.allocate(1).belongs_to(*backend));
}

TEST_CASE("a buffer outlives the device that it came from", "[buffer]") {
  Buffer survivor;
  {
    auto [device, backend] = tests::open_fake_device();
    survivor = device.allocate(10);
  }
  CHECK(survivor.size_bytes() == 10);
}

TEST_CASE("a buffer of less than one byte is refused", "[buffer]") {
  auto [device, backend] = tests::open_fake_device();
  CHECK_THROWS_WITH(device.allocate(0), Catch::Contains("0 bytes"));
  CHECK_THROWS_AS(device.allocate(-1), std::invalid_argument);
  CHECK(backend->live_blocks() == 0);
}

}  // namespace systole
