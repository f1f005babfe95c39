// The processing element as native C++, at every port on every clock, against its contract.

#include "hls/kernels/processing_element.h"

#include <catch2/catch.hpp>
#include <vector>

#include "hls/reference/mac.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {
namespace {

using namespace systole::hls;
using Element = kernels::ProcessingElement<>;

constexpr std::uint64_t kSeed = 0x5eed'0013;
constexpr int kClocks = 20'000;
constexpr std::uint64_t kHopMask = (1u << kernels::kHopBits) - 1;

Element::Inputs random_inputs(Random& random) {
  const MacCase mac = random_mac_case(random);
  Element::Inputs in;
  in.operand = {.activation = UInt16::from(mac.activation),
                .plane = UInt1::from(random.below(2)),
                .is_int8 = UInt1::from(random.below(2))};
  in.weight = {.value = UInt16::from(mac.weight),
               .hops = UInt<kernels::kHopBits>::from(random.below(3)),
               .plane = UInt1::from(random.below(2)),
               .valid = UInt1::from(random.below(2))};
  in.sum = UInt32::from(mac.sum);
  return in;
}

std::uint32_t expected_sum(const Element::Inputs& operand_beat, std::uint64_t weight,
                           const UInt32& sum) {
  const auto activation = static_cast<std::uint16_t>(operand_beat.operand.activation.value());
  const auto sum_bits = static_cast<std::uint32_t>(sum.value());
  if (!operand_beat.operand.is_int8) {
    return reference::mac_bf16(activation, static_cast<std::uint16_t>(weight), sum_bits);
  }
  return static_cast<std::uint32_t>(reference::mac_int8(static_cast<std::int8_t>(activation),
                                                        static_cast<std::int8_t>(weight),
                                                        static_cast<std::int32_t>(sum_bits)));
}

TEST_CASE("processing element meets its contract at every port on every clock",
          "[processing_element]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  Element element;
  std::vector<Element::Inputs> in;
  std::vector<std::uint32_t> results;
  std::uint64_t weights[2] = {0, 0};
  int wrong_neighbour = 0;
  int wrong_sum = 0;
  for (int t = 0; t < kClocks; ++t) {
    in.push_back(random_inputs(random));
    const auto out = element.clock(in.back());

    // The sum that enters now meets the operand of the last clock and the weights of all beats
    // before that one.
    if (t >= 2) {
      const auto& beat = in[static_cast<std::size_t>(t - 2)].weight;
      // Kept one clock after it entered: in time for the operand that entered after it.
      if (beat.valid && beat.hops == 0) weights[beat.plane.value()] = beat.value.value();
    }
    if (t >= 1) {
      const auto& operand_beat = in[static_cast<std::size_t>(t - 1)];
      results.push_back(
          expected_sum(operand_beat, weights[operand_beat.operand.plane.value()], in.back().sum));
      const auto& weight = operand_beat.weight;
      wrong_neighbour += !(out.operand.activation == operand_beat.operand.activation &&
                           out.operand.plane == operand_beat.operand.plane &&
                           out.operand.is_int8 == operand_beat.operand.is_int8);
      wrong_neighbour += !(out.weight.value == weight.value && out.weight.plane == weight.plane &&
                           out.weight.valid == weight.valid &&
                           out.weight.hops.value() == ((weight.hops.value() - 1) & kHopMask));
    }
    const int entered = t - kernels::kMacStages;
    if (entered >= 1)
      wrong_sum += out.sum.value() != results[static_cast<std::size_t>(entered - 1)];
  }
  CHECK(wrong_neighbour == 0);
  CHECK(wrong_sum == 0);
}

TEST_CASE("a passing weight is not stored", "[processing_element]") {
  Element element;
  Element::Inputs in;
  in.weight = {
      .value = UInt16(3), .hops = UInt<kernels::kHopBits>(1), .plane = UInt1(0), .valid = UInt1(1)};
  in.operand = {.activation = UInt16(5), .plane = UInt1(0), .is_int8 = UInt1(1)};
  element.clock(in);
  for (int t = 0; t < 3 + kernels::kMacStages; ++t) {
    in.weight.valid = UInt1(0);
    CHECK(element.clock(in).sum.value() == 0);
  }
}

}  // namespace
}  // namespace systole::tests
