// The vector unit's operations, in every instruction set of this processor, against the HLS C++.
#include "sim/model/row_kernels.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/block_kernels.h"
#include "sim/model/flush_to_zero.h"
#include "tests/support/arithmetic_cases.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using tests::Random;

constexpr std::uint64_t kSeed = 31;

/// fp32 patterns, an odd number: all special values, then sums like those of random cases.
std::vector<std::uint32_t> many_sums() {
  std::vector<std::uint32_t> sums = tests::special_fp32();
  Random random(kSeed);
  while (sums.size() < 20'011) {
    sums.push_back(tests::random_mac_case(random).sum);
    // Around the values that become int8, including halves.
    sums.push_back(random.below(2) << 31 | (0x3d80'0000U + random.below(0x0600'0000U)));
    sums.push_back(random.below(2) << 31 | 0x4000'0000U | random.below(16) << 20);
  }
  sums.resize(20'011);
  return sums;
}

template <typename T>
void check_each(const std::string& what, auto&& run) {
  const RowKernels portable = portable_row_kernels();
  const std::vector<T> expected = run(portable);
  for (const BlockKernels& kernels : block_kernels()) {
    INFO(what << ", " << kernels.name);
    for (const bool flushes : {false, true}) {
      std::vector<T> got;
      if (flushes) {
        const FlushToZero flush;
        got = run(kernels.rows);
      } else {
        got = run(kernels.rows);
      }
      REQUIRE(got.size() == expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        if (got[i] == expected[i]) continue;
        INFO("element " << i);
        REQUIRE(got[i] == expected[i]);
      }
    }
  }
}

template <typename T>
std::vector<T> random_bits(std::size_t count) {
  Random random(kSeed + 1);
  std::vector<T> bits(count);
  for (T& value : bits) value = static_cast<T>(random.below(0x1'0000U));
  for (std::size_t i = 0; i < count; i += 5) bits[i] = 0;
  return bits;
}

}  // namespace

TEST_CASE("ReLU and masks give the HLS C++'s bits", "[row_kernels]") {
  const std::vector<std::uint32_t> sums = many_sums();
  const auto count = static_cast<std::int64_t>(sums.size());
  check_each<std::uint32_t>("relu", [&](const RowKernels& rows) {
    auto out = sums;
    rows.relu(out.data(), count);
    return out;
  });
  auto bf16 = random_bits<std::uint16_t>(sums.size());
  const std::vector<std::uint16_t> special = tests::special_bf16();
  std::copy(special.begin(), special.end(), bf16.begin());
  check_each<std::uint32_t>("bf16 mask", [&](const RowKernels& rows) {
    auto out = sums;
    rows.keep_bf16(bf16.data(), out.data(), count);
    return out;
  });
  const auto int8 = random_bits<std::int8_t>(sums.size());
  check_each<std::uint32_t>("int8 mask", [&](const RowKernels& rows) {
    auto out = sums;
    rows.keep_int8(int8.data(), out.data(), count);
    return out;
  });
}

TEST_CASE("conversions to bf16 give the HLS C++'s bits", "[row_kernels]") {
  const std::vector<std::uint32_t> sums = many_sums();
  const auto count = static_cast<std::int64_t>(sums.size());
  check_each<std::uint16_t>("to bf16", [&](const RowKernels& rows) {
    std::vector<std::uint16_t> out(sums.size());
    rows.to_bf16(sums.data(), out.data(), count);
    return out;
  });
  Random random(kSeed);
  std::vector<std::uint32_t> states(sums.size());
  for (std::uint32_t& state : states) state = random.below(0xffff'ffffU) | 1U;
  check_each<std::uint32_t>("random step", [&](const RowKernels& rows) {
    auto out = states;
    rows.step_random(out.data(), count);
    return out;
  });
  for (std::size_t i = 0; i < states.size(); i += 3) states[i] = i % 2 == 0 ? 0xffff'0000U : 0xffff;
  check_each<std::uint16_t>("to bf16, stochastic", [&](const RowKernels& rows) {
    std::vector<std::uint16_t> out(sums.size());
    rows.to_bf16_stochastic(sums.data(), states.data(), out.data(), count);
    return out;
  });
}

TEST_CASE("conversions to int8 and from int32 give the HLS C++'s bits", "[row_kernels]") {
  const std::vector<std::uint32_t> sums = many_sums();
  const auto count = static_cast<std::int64_t>(sums.size());
  for (const int scale : {0x3f80, 0x0000, 0x8000, 0x0001, 0x0080, 0x3f00, 0xbf81, 0x4120, 0x7f7f,
                          0x7f80, 0xff80, 0x7fc1, 0x2000, 0x6000}) {
    check_each<std::int8_t>("quantize by " + std::to_string(scale), [&](const RowKernels& rows) {
      std::vector<std::int8_t> out(sums.size());
      rows.quantize(sums.data(), static_cast<std::uint16_t>(scale), out.data(), count);
      return out;
    });
  }
  for (const int shift : {0, 1, 7, 16, 30, 31}) {
    for (const int scale : {0, 1, 3, 255, 32768, 65535}) {
      check_each<std::int8_t>(
          "requantize by " + std::to_string(scale) + ", " + std::to_string(shift),
          [&](const RowKernels& rows) {
            std::vector<std::int8_t> out(sums.size());
            rows.requantize(sums.data(), static_cast<std::uint16_t>(scale), shift, out.data(),
                            count);
            return out;
          });
    }
  }
  check_each<std::uint32_t>("int32 to fp32", [&](const RowKernels& rows) {
    std::vector<std::uint32_t> out(sums.size());
    rows.int32_to_fp32(sums.data(), out.data(), count);
    return out;
  });
}

TEST_CASE("elements of streams become lanes in every instruction set", "[row_kernels]") {
  const auto bf16 = random_bits<std::uint16_t>(20'011);
  const auto int8 = random_bits<std::int8_t>(20'011);
  const auto count = static_cast<std::int64_t>(bf16.size());
  check_each<std::uint32_t>("from bf16", [&](const RowKernels& rows) {
    std::vector<std::uint32_t> out(bf16.size());
    rows.from_bf16(bf16.data(), out.data(), count);
    return out;
  });
  check_each<std::uint32_t>("from int8", [&](const RowKernels& rows) {
    std::vector<std::uint32_t> out(int8.size());
    rows.from_int8(int8.data(), out.data(), count);
    return out;
  });
}

}  // namespace systole
