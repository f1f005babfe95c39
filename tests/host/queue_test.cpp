#include "host/device/queue.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/host/fake_backend.h"

namespace systole {
namespace {

using Log = std::vector<std::string>;

// A valid bf16 product of 2 x 3 times 3 x 4 on a device.
Matmul small_product(const Device& device) {
  return {.a = device.allocate(12),
          .b = device.allocate(24),
          .c = device.allocate(32),
          .rows = 2,
          .depth = 3,
          .cols = 4};
}

const std::string kExecute = "execute 2 x 3 times 3 x 4, bf16";

}  // namespace

TEST_CASE("products run when a result is needed, and only then", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  const Matmul product = small_product(device);
  std::vector<std::uint16_t> a(6);
  std::array<float, 8> c{};
  queue.copy_to_device(a, product.a);
  CHECK(backend->log == Log{"write 12"});
  queue.matmul(product);
  CHECK(backend->log.size() == 1);
  queue.copy_to_host(product.c, c);
  CHECK(backend->log == Log{"write 12", kExecute, "read 32"});
  queue.wait();
  CHECK(backend->log.size() == 3);
}

TEST_CASE("a copy runs queued products only if it touches their buffers", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  const Matmul product = small_product(device);
  const Buffer bias = device.allocate(16), mask = device.allocate(16), other = device.allocate(64);
  std::array<std::byte, 4> bytes{};
  const auto runs = [&](auto&& copy) {
    queue.matmul(product, {.bias = bias, .mask = mask});
    const std::size_t before = backend->batches.size();
    copy();
    const bool ran = backend->batches.size() > before;
    queue.wait();
    return ran;
  };
  for (const Buffer& read : {product.a, product.b, bias, mask}) {
    CHECK(runs([&] { queue.copy_to_device(bytes, read); }));
    CHECK_FALSE(runs([&] { queue.copy_to_host(read, bytes); }));
  }
  CHECK(runs([&] { queue.copy_to_device(bytes, product.c); }));
  CHECK(runs([&] { queue.copy_to_host(product.c, bytes); }));
  CHECK_FALSE(runs([&] { queue.copy_to_device(bytes, other); }));
  CHECK_FALSE(runs([&] { queue.copy_to_host(other, bytes); }));
}

TEST_CASE("column sums are a result too", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  const Buffer sums = device.allocate(16);
  std::array<float, 4> values{};
  queue.matmul(small_product(device), {.column_sums = sums});
  queue.copy_to_host(sums, values);
  CHECK(backend->log == Log{kExecute, "read 16"});
}

TEST_CASE("queued products keep their buffers alive until they have run", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  queue.matmul(small_product(device));
  CHECK(backend->live_blocks() == 3);
  queue.wait();
  CHECK(backend->live_blocks() == 0);
}

TEST_CASE("queued products reach the device together, in order", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  const auto add = [&](std::int64_t rows) {
    Matmul product = small_product(device);
    product.rows = rows;
    queue.matmul(product);
  };
  const auto executed = [&] {
    queue.wait();
    std::string rows;
    for (const std::string& line : std::exchange(backend->log, {})) rows += line.substr(8, 1);
    return rows;
  };
  add(1);
  add(2);
  CHECK(executed() == "12");
  add(2);
  add(1);
  add(1);
  CHECK(executed() == "211");
  CHECK(backend->batches == std::vector<std::size_t>{2, 3});
}

TEST_CASE("a copy may be shorter than its buffer, and empty", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  const Buffer buffer = device.allocate(8);
  const std::vector<std::byte> none;
  const std::array<std::uint16_t, 2> some{7, 9};
  queue.copy_to_device(none, buffer);
  queue.copy_to_device(some, buffer);
  std::array<std::uint16_t, 4> back{1, 1, 1, 1};
  queue.copy_to_host(buffer, back);
  CHECK(back == std::array<std::uint16_t, 4>{7, 9, 0, 0});
}

TEST_CASE("a fault surfaces once and empties the queue, which stays usable", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  backend->executions_until_fault = 1;
  for (int i = 0; i < 3; ++i) queue.matmul(small_product(device));
  CHECK_THROWS_WITH(queue.wait(), "fake fault");
  CHECK(backend->log.size() == 2);
  CHECK(backend->live_blocks() == 0);
  CHECK_NOTHROW(queue.wait());
  CHECK(backend->log.size() == 2);

  queue.matmul(small_product(device));
  CHECK_NOTHROW(queue.wait());
  CHECK(backend->log.size() == 3);
}

TEST_CASE("a matmul refuses an epilogue that does not fit, with the shapes", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  const Matmul product = small_product(device);
  const Buffer sixteen = device.allocate(16), small = device.allocate(15);
  const auto refusal = [&](const Epilogue& epilogue, bool accumulate = false) {
    Matmul changed = product;
    changed.accumulate = accumulate;
    try {
      queue.matmul(changed, epilogue);
    } catch (const std::invalid_argument& refused) {
      return std::string(refused.what());
    }
    return std::string("accepted");
  };
  using Catch::Contains;
  CHECK(refusal({.bias = sixteen,
                 .mask = device.allocate(16),
                 .relu = true,
                 .result = ResultType::kBf16}) == "accepted");
  CHECK(refusal({.column_sums = sixteen}) == "accepted");
  CHECK(refusal({.bias = small}) ==
        "matmul: 2 x 3 times 3 x 4, bf16: the bias needs 16 bytes, its buffer has 15");
  CHECK_THAT(refusal({.column_sums = small}), Contains("column sums needs 16 bytes"));
  CHECK_THAT(refusal({.mask = small}), Contains("the mask needs 16 bytes"));
  CHECK_THAT(refusal({.bias = sixteen}, true), Contains("exclude each other"));
  CHECK_THAT(refusal({.bias = sixteen, .column_sums = device.allocate(16)}),
             Contains("exclude each other"));
  CHECK_THAT(refusal({.result = ResultType::kBf16}, true), Contains("not bf16"));
  CHECK_THAT(refusal({.mask = device.allocate(32), .mask_type = DataType::kFp32}),
             Contains("an fp32 mask goes with an fp32 product"));
  CHECK_THAT(refusal({.mask = product.c}), Contains("shares a buffer"));
  CHECK_THAT(refusal({.column_sums = product.c}), Contains("share their buffer with C"));
  CHECK_THAT(refusal({.bias = tests::open_fake_device().device.allocate(16)}),
             Contains("another device"));
}

TEST_CASE("a matmul refuses a buffer that is too small, with the shapes", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  Matmul product;
  product.rows = 37;
  product.depth = 129;
  product.cols = 65;
  product.a = device.allocate(100);
  product.b = device.allocate(129 * 65 * 2);
  product.c = device.allocate(37 * 65 * 4);
  CHECK_THROWS_WITH(
      queue.matmul(product),
      Catch::StartsWith("matmul: A is 37 x 129 bf16 and needs 9546 bytes, its buffer has 100"));
  product.transpose_a = true;
  CHECK_THROWS_WITH(queue.matmul(product), Catch::StartsWith("matmul: A is 129 x 37 bf16"));
  product.a = device.allocate(9546);
  product.b = device.allocate(129 * 65 * 2 - 1);
  CHECK_THROWS_WITH(queue.matmul(product), Catch::StartsWith("matmul: B is 129 x 65 bf16"));
  product.transpose_b = true;
  CHECK_THROWS_WITH(queue.matmul(product), Catch::StartsWith("matmul: B is 65 x 129 bf16"));
  product.b = device.allocate(129 * 65 * 2);
  product.c = device.allocate(37 * 65 * 4 - 1);
  CHECK_THROWS_WITH(queue.matmul(product), Catch::StartsWith("matmul: C is 37 x 65 fp32"));
  queue.wait();
  CHECK(backend->log.empty());
}

TEST_CASE("a matmul refuses dimensions below one", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  for (const std::int64_t bad :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    for (std::int64_t Matmul::* dimension : {&Matmul::rows, &Matmul::depth, &Matmul::cols}) {
      Matmul product = small_product(device);
      product.*dimension = bad;
      CHECK_THROWS_WITH(queue.matmul(product), Catch::Contains("must each be 1 or more"));
    }
  }
}

TEST_CASE("a matmul refuses matrices whose size overflows", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  const std::int64_t huge = std::int64_t{1} << 32;
  for (const auto& [rows, depth, cols] :
       {std::array{huge, huge, std::int64_t{1}}, std::array{std::int64_t{1}, huge, huge},
        std::array{huge, std::int64_t{1}, huge / 8}}) {
    Matmul product = small_product(device);
    product.rows = rows;
    product.depth = depth;
    product.cols = cols;
    CHECK_THROWS_WITH(queue.matmul(product), Catch::Contains("more bytes than can be counted"));
  }
}

TEST_CASE("an int8 matmul refuses a depth whose sums could overflow", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  Matmul product = {.a = device.allocate(kMaxInt8Depth + 1),
                    .b = device.allocate(kMaxInt8Depth + 1),
                    .c = device.allocate(4),
                    .rows = 1,
                    .depth = kMaxInt8Depth + 1,
                    .cols = 1,
                    .type = DataType::kInt8};
  CHECK_THROWS_WITH(queue.matmul(product), Catch::Contains("at most 131071"));
  product.depth = kMaxInt8Depth;
  CHECK_NOTHROW(queue.matmul(product));
}

TEST_CASE("a matmul refuses a type that the device does not multiply", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Matmul product = small_product(device);
  product.type = DataType::kFp32;
  CHECK_THROWS_WITH(device.make_queue().matmul(product),
                    Catch::Contains("device 'fake' multiplies bf16 and int8 only"));
}

TEST_CASE("a matmul refuses a C that is A or B", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  Matmul product = small_product(device);
  product.a = product.c;
  CHECK_THROWS_WITH(queue.matmul(product), Catch::Contains("C shares its buffer with A"));
  product = small_product(device);
  product.b = product.c;
  CHECK_THROWS_WITH(queue.matmul(product), Catch::Contains("C shares its buffer with B"));
  product = small_product(device);
  product.a = product.b;  // reading one buffer twice is fine
  CHECK_NOTHROW(queue.matmul(product));
}

TEST_CASE("a queue refuses empty buffers and those of another device", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  std::array<std::byte, 4> bytes{};
  CHECK_THROWS_WITH(queue.copy_to_device(bytes, Buffer{}), Catch::Contains("has no buffer"));
  CHECK_THROWS_WITH(queue.copy_to_host(Buffer{}, bytes), Catch::Contains("has no buffer"));
  const Device other = tests::open_fake_device().device;
  const Buffer foreign = other.allocate(1000);
  CHECK_THROWS_WITH(queue.copy_to_device(bytes, foreign), Catch::Contains("another device"));
  CHECK_THROWS_WITH(queue.copy_to_host(foreign, bytes), Catch::Contains("another device"));
  for (Buffer Matmul::* operand : {&Matmul::a, &Matmul::b, &Matmul::c}) {
    Matmul product = small_product(device);
    product.*operand = Buffer{};
    CHECK_THROWS_WITH(queue.matmul(product), Catch::Contains("has no buffer"));
    product.*operand = foreign;
    CHECK_THROWS_WITH(queue.matmul(product), Catch::Contains("another device"));
  }
  queue.wait();
  CHECK(backend->log.empty());
}

TEST_CASE("a copy refuses more bytes than the buffer has", "[queue]") {
  auto [device, backend] = tests::open_fake_device();
  Queue queue = device.make_queue();
  const Buffer buffer = device.allocate(7);
  std::array<std::byte, 8> bytes{};
  CHECK_THROWS_WITH(queue.copy_to_device(bytes, buffer),
                    Catch::Contains("8 bytes, the buffer only 7"));
  CHECK_THROWS_WITH(queue.copy_to_host(buffer, bytes),
                    Catch::Contains("8 bytes, the buffer only 7"));
}

}  // namespace systole
