// Kernels in the idioms of ap_int and ac_int, compiled with the compatibility headers alone: their
// RTL beside their C++, and their C++ beside results known from elsewhere.
#include "kernels/barrel_shifter.h"
#include "kernels/cordic.h"
#include "kernels/crc32.h"
#include "kernels/divider.h"
#include "kernels/double_dabble.h"
#include "kernels/fir.h"
#include "kernels/gray_lfsr.h"
#include "kernels/priority.h"
#include "kernels/rgb_to_yuv.h"
#include "kernels/run_length.h"
#include "kernels/saturating_mac.h"
#include "kernels/sha256_round.h"
#include "kernels/sorting_network.h"

// Verilated models and their ports.
#include <Vcompat_barrel_shifter.h>
#include <Vcompat_cordic.h>
#include <Vcompat_crc32.h>
#include <Vcompat_divider.h>
#include <Vcompat_double_dabble.h>
#include <Vcompat_fir.h>
#include <Vcompat_gray_lfsr.h>
#include <Vcompat_priority.h>
#include <Vcompat_rgb_to_yuv.h>
#include <Vcompat_run_length.h>
#include <Vcompat_saturating_mac.h>
#include <Vcompat_sha256_round.h>
#include <Vcompat_sorting_network.h>
#include <compat_barrel_shifter_ports.h>
#include <compat_cordic_ports.h>
#include <compat_crc32_ports.h>
#include <compat_divider_ports.h>
#include <compat_double_dabble_ports.h>
#include <compat_fir_ports.h>
#include <compat_gray_lfsr_ports.h>
#include <compat_priority_ports.h>
#include <compat_rgb_to_yuv_ports.h>
#include <compat_run_length_ports.h>
#include <compat_saturating_mac_ports.h>
#include <compat_sha256_round_ports.h>
#include <compat_sorting_network_ports.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string_view>

#include "systole/cosim/lockstep.h"
#include "systole/cosim/pipelined_function.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kLockstepSeed = 0x5eed'0c0a;

template <typename Model, typename Kernel>
std::string difference(std::span<const cosim::Port> inputs, std::span<const cosim::Port> outputs) {
  return cosim::Lockstep<Model, Kernel>::run(inputs, outputs, {.seed = kLockstepSeed}).message();
}
template <auto kFunction, int kStages>
using Piped = cosim::PipelinedFunction<kFunction, kStages>;

#define SYSTOLE_LOCKSTEP(name, ...)                                                  \
  TEST_CASE("RTL of " #name " is its C++ at every port on every edge", "[compat]") { \
    CHECK((difference<Vcompat_##name, __VA_ARGS__>(kcompat_##name##Inputs,           \
                                                   kcompat_##name##Outputs)) == ""); \
  }
SYSTOLE_LOCKSTEP(fir, Fir)
SYSTOLE_LOCKSTEP(saturating_mac, SaturatingMac)
SYSTOLE_LOCKSTEP(gray_lfsr, GrayAndLfsr)
SYSTOLE_LOCKSTEP(run_length, hls::Process<&run_length::encode>)
SYSTOLE_LOCKSTEP(crc32, Piped<&crc32_step, 2>)
SYSTOLE_LOCKSTEP(cordic, Piped<&cordic, 6>)
SYSTOLE_LOCKSTEP(priority, Piped<&priority_encoder, 2>)
SYSTOLE_LOCKSTEP(rgb_to_yuv, Piped<&rgb_to_yuv, 3>)
SYSTOLE_LOCKSTEP(barrel_shifter, Piped<&barrel_shift, 2>)
SYSTOLE_LOCKSTEP(double_dabble, Piped<&double_dabble, 3>)
SYSTOLE_LOCKSTEP(sorting_network, Piped<&sort_eight, 3>)
SYSTOLE_LOCKSTEP(sha256_round, Piped<&sha256_round, 2>)
SYSTOLE_LOCKSTEP(divider, Piped<&divide, 8>)

TEST_CASE("the CRC of 123456789 is the check value of CRC-32", "[compat]") {
  ap_uint<32> crc = 0xFFFFFFFFu;
  for (const char c : std::string_view("123456789")) crc = crc32_step(crc, c);
  CHECK((~crc).to_uint() == 0xCBF43926u);
}

// The last angle, 4, is the most that the rotations leave; twelve shifts drop half a step each.
constexpr double kCordicTolerance = 4 + 12 * 0.5;
TEST_CASE("cordic gives sine and cosine of the first quadrant", "[compat]") {
  for (int angle = 0; angle <= 12867; angle += 613) {
    const SineCosine got = cordic(angle);
    CHECK(std::abs(got.cosine.to_int() - 8192 * std::cos(angle / 8192.0)) < kCordicTolerance);
    CHECK(std::abs(got.sine.to_int() - 8192 * std::sin(angle / 8192.0)) < kCordicTolerance);
  }
}

TEST_CASE("double dabble gives the decimal digits of every number", "[compat]") {
  int wrong = 0;
  for (int x = 0; x < 8192; ++x) {
    const int expected = x / 1000 << 12 | x / 100 % 10 << 8 | x / 10 % 10 << 4 | x % 10;
    wrong += double_dabble(x) != expected;
  }
  CHECK(wrong == 0);
}

TEST_CASE("the sorting network sorts every order of zeros and ones", "[compat]") {
  for (int pattern = 0; pattern < 256; ++pattern) {
    Keys keys;
    int zeros = 8;
    for (int i = 0; i < 8; ++i) {
      keys.key[i] = (pattern >> i & 1) - 1;
      zeros -= pattern >> i & 1;
    }
    keys = sort_eight(keys);
    for (int i = 0; i < 8; ++i) REQUIRE(keys.key[i] == (i < zeros ? -1 : 0));
  }
}

TEST_CASE("the first round of SHA-256 of abc is FIPS 180-2's", "[compat]") {
  const Sha256State first = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                             0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
  const Sha256State next = sha256_round(first, 0x61626380u, 0x428a2f98u);
  CHECK(next.a.to_uint() == 0x5d6aebcdu);
  CHECK(next.e.to_uint() == 0xfa2a4622u);
  CHECK(next.b.to_uint() == 0x6a09e667u);
  CHECK(next.f.to_uint() == 0x510e527fu);
}

}  // namespace
}  // namespace systole::tests
