// The addition inside the accumulators: hls/kernels/accumulate.h against its oracle and x86.

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

#include "hls/reference/mac.h"
#include "tests/support/arithmetic_cases.h"
#include "tests/support/kernel_arithmetic.h"
#include "tests/support/x86_float.h"

namespace systole::tests {
namespace {

constexpr int kRandomCases = 300'000;
constexpr std::uint64_t kSeed = 0x5eed'0002;

struct Disagreements {
  std::uint64_t count = 0;
  std::string first;
};

void compare(const AddCase& add, bool with_x86, Disagreements& disagreements) {
  const std::uint32_t kernel = kernel_accumulate(false, true, add.accumulator, add.tile_sum);
  const bool oracle_agrees = kernel == reference::add_fp32(add.accumulator, add.tile_sum);
  const bool x86_agrees = !with_x86 || kernel == x86_add_fp32(add.accumulator, add.tile_sum);
  if (oracle_agrees && x86_agrees) return;
  if (disagreements.count++ == 0) {
    char text[64];
    std::snprintf(text, sizeof text, "%08x + %08x gave %08x", add.accumulator, add.tile_sum,
                  kernel);
    disagreements.first = text;
  }
}

TEST_CASE("accumulate matches oracle and x86 on every pair of special fp32 values",
          "[accumulate]") {
  const FlushSubnormals mode;
  Disagreements disagreements;
  for (const std::uint32_t accumulator : special_fp32()) {
    for (const std::uint32_t tile_sum : special_fp32()) {
      compare({accumulator, tile_sum}, cpu_has_fma(), disagreements);
    }
  }
  INFO(disagreements.first);
  CHECK(disagreements.count == 0);
}

TEST_CASE("accumulate matches oracle and x86 on random and nearly cancelling fp32 pairs",
          "[accumulate]") {
  const FlushSubnormals mode;
  INFO("seed " << kSeed);
  Random random(kSeed);
  Disagreements disagreements;
  for (int i = 0; i < kRandomCases; ++i) {
    compare(random_add_case(random), cpu_has_fma(), disagreements);
  }
  INFO(disagreements.first);
  CHECK(disagreements.count == 0);
}

TEST_CASE("accumulate adds int32 modulo 2^32", "[accumulate]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  std::uint64_t wrong = 0;
  for (int i = 0; i < kRandomCases; ++i) {
    const std::uint32_t total = random.bits32();
    const std::uint32_t sum = random.bits32();
    wrong += kernel_accumulate(true, true, total, sum) !=
             static_cast<std::uint32_t>(reference::add_int32(static_cast<std::int32_t>(total),
                                                             static_cast<std::int32_t>(sum)));
  }
  CHECK(wrong == 0);
  CHECK(kernel_accumulate(true, true, 0x7fffffff, 1) == 0x80000000);
}

TEST_CASE("accumulate overwrites with the tile's bits when it does not add", "[accumulate]") {
  for (const bool is_int8 : {false, true}) {
    for (const std::uint32_t total : special_fp32()) {
      CHECK(kernel_accumulate(is_int8, false, total, 0x80000000) == 0x80000000);
      CHECK(kernel_accumulate(is_int8, false, total, 0x12345678) == 0x12345678);
    }
  }
}

}  // namespace
}  // namespace systole::tests
