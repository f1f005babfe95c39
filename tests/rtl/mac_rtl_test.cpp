// The generated RTL's multiply-add against the oracle: a sample of `mac_campaign --rtl`.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "hls/reference/mac.h"
#include "tests/rtl/rtl_mac.h"

namespace systole::tests {
namespace {

constexpr int kRandomCases = 300'000;
constexpr std::uint64_t kSeed = 0x5eed'0020;

std::uint32_t expected(const RtlMac::Case& mac) {
  const auto [activation, weight, sum] = mac.operands;
  if (!mac.is_int8) return reference::mac_bf16(activation, weight, sum);
  return static_cast<std::uint32_t>(reference::mac_int8(static_cast<std::int8_t>(activation),
                                                        static_cast<std::int8_t>(weight),
                                                        static_cast<std::int32_t>(sum)));
}

class Comparison {
 public:
  void push(const RtlMac::Case& mac) {
    const auto result = rtl_.push(mac);
    if (!result) return;
    ++compared;
    if (result->sum == expected(result->from)) return;
    const auto& [activation, weight, sum] = result->from.operands;
    if (wrong++ == 0) {
      first = fmt::format("{:04x} * {:04x} + {:08x}, int8 {}: rtl {:08x}", activation, weight, sum,
                          result->from.is_int8, result->sum);
    }
  }
  void finish() {
    for (int i = 0; i < RtlMac::kLatency; ++i) push({});
    INFO(first);
    CHECK(wrong == 0);
  }

  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  std::string first;

 private:
  RtlMac rtl_;
};

TEST_CASE("the RTL's mac matches the oracle on every triple of special values", "[mac]") {
  Comparison comparison;
  for (const std::uint16_t activation : special_bf16()) {
    for (const std::uint16_t weight : special_bf16()) {
      for (const std::uint32_t sum : special_fp32()) {
        comparison.push({.operands = {activation, weight, sum}});
      }
    }
  }
  comparison.finish();
}

TEST_CASE("the RTL's mac matches the oracle on random cases of both types, mixed", "[mac]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  Comparison comparison;
  for (int i = 0; i < kRandomCases; ++i) {
    comparison.push({.operands = random_mac_case(random), .is_int8 = random.below(3) == 0});
  }
  comparison.finish();
  CHECK(comparison.compared == kRandomCases);
}

TEST_CASE("the RTL's mac is exact for every pair of int8 operands", "[mac]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  Comparison comparison;
  for (std::uint32_t pair = 0; pair < 0x10000; ++pair) {
    const auto activation = static_cast<std::uint16_t>(pair >> 8);
    const auto weight = static_cast<std::uint16_t>(pair & 0xff);
    comparison.push({.operands = {activation, weight, random.bits32()}, .is_int8 = true});
  }
  comparison.finish();
}

}  // namespace
}  // namespace systole::tests
