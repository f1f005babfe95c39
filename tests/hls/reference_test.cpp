// The oracles themselves, on answers that can be checked by hand or by the CPU.

#include <bit>
#include <catch2/catch.hpp>
#include <vector>

#include "hls/reference/fp32.h"
#include "hls/reference/mac.h"
#include "hls/reference/matmul.h"
#include "tests/support/arithmetic_cases.h"
#include "tests/support/x86_float.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0003;

TEST_CASE("oracle mac matches x86 on random cases", "[reference]") {
  if (!cpu_has_fma()) return;
  const FlushSubnormals mode;
  INFO("seed " << kSeed);
  Random random(kSeed);
  std::uint64_t wrong = 0;
  for (int i = 0; i < 100'000; ++i) {
    const MacCase mac = random_mac_case(random);
    wrong += reference::mac_bf16(mac.activation, mac.weight, mac.sum) !=
             x86_mac_bf16(mac.activation, mac.weight, mac.sum);
  }
  CHECK(wrong == 0);
}

TEST_CASE("fp32 becomes the nearest bf16, ties to even", "[reference]") {
  CHECK(reference::fp32_to_bf16(0x3f807fff) == 0x3f80);
  CHECK(reference::fp32_to_bf16(0x3f808000) == 0x3f80);
  CHECK(reference::fp32_to_bf16(0x3f808001) == 0x3f81);
  CHECK(reference::fp32_to_bf16(0x3f818000) == 0x3f82);
  CHECK(reference::fp32_to_bf16(0x3fffffff) == 0x4000);
}

TEST_CASE("fp32 conversion to bf16 overflows to infinity, flushes subnormals, keeps one NaN",
          "[reference]") {
  CHECK(reference::fp32_to_bf16(0x7f7f7fff) == 0x7f7f);
  CHECK(reference::fp32_to_bf16(0x7f7f8000) == 0x7f80);
  CHECK(reference::fp32_to_bf16(0xff800000) == 0xff80);
  CHECK(reference::fp32_to_bf16(0x007fffff) == 0x0000);
  CHECK(reference::fp32_to_bf16(0x80000001) == 0x8000);
  CHECK(reference::fp32_to_bf16(0xff800001) == 0x7fc0);
}

TEST_CASE("every bf16 but subnormals and NaNs survives conversion to fp32 and back",
          "[reference]") {
  std::uint64_t wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto bf16 = static_cast<std::uint16_t>(bits);
    const std::uint32_t fp32 = reference::bf16_to_fp32(bf16);
    if (reference::is_nan(fp32) || (reference::is_zero(fp32) && (bits & 0x7f) != 0)) continue;
    wrong += reference::fp32_to_bf16(fp32) != bf16;
  }
  CHECK(wrong == 0);
}

constexpr std::uint16_t kBf16One = 0x3f80;
constexpr std::uint32_t kFp32One = 0x3f800000;

TEST_CASE("oracle matmul sums tiles of the array's depth, so its bits depend on N", "[reference]") {
  // 2^24 + 1 + 1: added one by one the ones vanish; added as a tile of their own they count.
  const std::vector<std::uint16_t> a = {0x4b80, kBf16One, kBf16One, kBf16One};
  const std::vector<std::uint16_t> b(4, kBf16One);
  std::vector<std::uint32_t> c(1);
  reference::matmul_bf16({.rows = 1, .depth = 4, .cols = 1, .array_size = 4}, a, b, c);
  CHECK(std::bit_cast<float>(c[0]) == 16777216.0f);
  reference::matmul_bf16({.rows = 1, .depth = 4, .cols = 1, .array_size = 2}, a, b, c);
  CHECK(std::bit_cast<float>(c[0]) == 16777218.0f);
}

TEST_CASE("oracle matmul accumulates tile sums onto C, and overwrites C otherwise", "[reference]") {
  const std::vector<std::uint16_t> a = {kBf16One, kBf16One, kBf16One};
  std::vector<std::uint32_t> c = {kFp32One};
  reference::matmul_bf16({.rows = 1, .depth = 3, .cols = 1, .array_size = 2, .accumulate = true}, a,
                         a, c);
  CHECK(std::bit_cast<float>(c[0]) == 4.0f);
  reference::matmul_bf16({.rows = 1, .depth = 3, .cols = 1, .array_size = 2}, a, a, c);
  CHECK(std::bit_cast<float>(c[0]) == 3.0f);
}

TEST_CASE("padding turns a sum that was flushed to -0 into +0", "[reference]") {
  // -2^-63 * 2^-64 is flushed to -0 after its addition to +0.
  const std::vector<std::uint16_t> a = {0xa000}, b = {0x1f80};
  std::vector<std::uint32_t> c(1);
  reference::matmul_bf16({.rows = 1, .depth = 1, .cols = 1, .array_size = 1}, a, b, c);
  CHECK(c[0] == 0x80000000);
  reference::matmul_bf16({.rows = 1, .depth = 1, .cols = 1, .array_size = 2}, a, b, c);
  CHECK(c[0] == 0x00000000);
}

TEST_CASE("oracle int8 matmul equals 64-bit sums at ragged sizes", "[reference]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  for (const int depth : {1, 3, 4, 5, 9}) {
    std::vector<std::int8_t> a(static_cast<std::size_t>(2 * depth)), b(a.size() / 2 * 3);
    for (auto* operand : {&a, &b}) {
      for (auto& x : *operand) x = static_cast<std::int8_t>(random.bits());
    }
    std::vector<std::int32_t> c(6);
    reference::matmul_int8({.rows = 2, .depth = depth, .cols = 3, .array_size = 4}, a, b, c);
    for (int m = 0; m < 2; ++m) {
      for (int n = 0; n < 3; ++n) {
        std::int64_t exact = 0;
        for (int k = 0; k < depth; ++k) {
          exact += std::int64_t{a[static_cast<std::size_t>(m * depth + k)]} *
                   b[static_cast<std::size_t>(k * 3 + n)];
        }
        CHECK(c[static_cast<std::size_t>(m * 3 + n)] == exact);
      }
    }
  }
}

}  // namespace
}  // namespace systole::tests
