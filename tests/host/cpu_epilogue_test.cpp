// The cpu's epilogues, on numbers small enough to check by hand.
#include "host/device/cpu/cpu_epilogue.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "host/device/convert.h"
#include "host/device/queue.h"

namespace systole {
namespace {

// [1 2; 3 4] times [1 -1 0; 0 1 -2] = [1 1 -4; 3 1 -8]
const std::array<float, 4> kA{1, 2, 3, 4};
const std::array<float, 6> kB{1, -1, 0, 0, 1, -2};
const std::array<float, 3> kBias{10, -2, 4};
const std::array<float, 6> kMask{1, 0, -1, 2, 0.5, 3};

template <typename To>
std::vector<To> as(std::span<const float> values) {
  std::vector<To> out;
  for (const float value : values) {
    if constexpr (std::is_same_v<To, std::uint16_t>) {
      out.push_back(to_bf16(value));
    } else {
      out.push_back(static_cast<To>(value));
    }
  }
  return out;
}

/// A product of one type on the cpu, with its epilogue's buffers filled.
template <typename Element, typename Sum>
struct Bench {
  Device device = Device::open("cpu");
  Queue queue = device.make_queue();
  Matmul matmul;
  Buffer bias = device.allocate(12), mask = device.allocate(24), column_sums = device.allocate(12);

  explicit Bench(DataType type) {
    matmul = {.a = device.allocate(16),
              .b = device.allocate(24),
              .c = device.allocate(24),
              .rows = 2,
              .depth = 2,
              .cols = 3,
              .type = type};
    put(as<Element>(kA), matmul.a);
    put(as<Element>(kB), matmul.b);
    put(as<Sum>(kBias), bias);
    put(as<Element>(kMask), mask);
  }
  template <typename T>
  void put(const std::vector<T>& values, const Buffer& buffer) {
    queue.copy_to_device(std::span<const T>(values), buffer);
  }
  template <typename T>
  std::vector<T> get(const Buffer& buffer, std::size_t count) {
    std::vector<T> values(count);
    queue.copy_to_host(buffer, values);
    return values;
  }
};

template <typename Element, typename Sum>
void check(DataType type) {
  Bench<Element, Sum> bench(type);
  bench.queue.matmul(bench.matmul, {.bias = bench.bias, .relu = true});
  CHECK(bench.template get<Sum>(bench.matmul.c, 6) == std::vector<Sum>{11, 0, 0, 13, 0, 0});
  bench.queue.matmul(bench.matmul, {.mask = bench.mask, .mask_type = type});
  CHECK(bench.template get<Sum>(bench.matmul.c, 6)[2] == Sum(0));
  CHECK(bench.template get<Sum>(bench.matmul.c, 6)[3] == Sum(3));
  CHECK(bench.template get<Sum>(bench.matmul.c, 6)[5] == Sum(-8));
  bench.queue.matmul(bench.matmul, {.column_sums = bench.column_sums});
  CHECK(bench.template get<Sum>(bench.column_sums, 3) == std::vector<Sum>{1, 0, -2});
}

}  // namespace

TEST_CASE("the cpu adds the bias, cuts by ReLU and mask, and sums columns", "[cpu_epilogue]") {
  check<float, float>(DataType::kFp32);
  check<std::uint16_t, float>(DataType::kBf16);
  check<std::int8_t, std::int32_t>(DataType::kInt8);
}

TEST_CASE("the cpu's ReLU hides no NaN of either sign, and cuts any negative integer",
          "[cpu_epilogue]") {
  std::vector<std::uint32_t> sums{0x7fc0'0000U, 0xffc0'0000U, 0xff80'0000U, 0x8000'0000U, 1};
  std::vector<std::uint32_t> integers = sums;
  apply_relu(sums, true);
  CHECK(sums == std::vector<std::uint32_t>{0x7fc0'0000U, 0xffc0'0000U, 0, 0, 1});
  apply_relu(integers, false);
  CHECK(integers == std::vector<std::uint32_t>{0x7fc0'0000U, 0, 0, 0, 1});
}

TEST_CASE("the cpu sums the columns of a transposed B", "[cpu_epilogue]") {
  Bench<float, float> bench(DataType::kFp32);
  bench.put(std::vector<float>{1, 0, -1, 1, 0, -2}, bench.matmul.b);
  bench.matmul.transpose_b = true;
  bench.queue.matmul(bench.matmul, {.column_sums = bench.column_sums});
  CHECK(bench.get<float>(bench.column_sums, 3) == std::vector<float>{1, 0, -2});
}

TEST_CASE("the cpu rounds its sums to bf16 if C is bf16", "[cpu_epilogue]") {
  Bench<std::uint16_t, float> bench(DataType::kBf16);
  bench.put(std::vector<float>{1.0f / 512, 0, 0}, bench.bias);
  bench.queue.matmul(bench.matmul, {.bias = bench.bias, .result = ResultType::kBf16});
  CHECK(bench.get<std::uint16_t>(bench.matmul.c, 6) ==
        std::vector<std::uint16_t>{to_bf16(1), to_bf16(1), to_bf16(-4), to_bf16(3), to_bf16(1),
                                   to_bf16(-8)});
}

}  // namespace systole
