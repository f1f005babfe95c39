// Division by variables in threads: every quotient and remainder, and its clocks.

#include "systole/hls/divide.h"

#include <catch2/catch.hpp>

namespace systole::tests {
namespace {

using namespace systole::hls;
using systole::hls::clock;

template <typename X, typename Y>
Thread divide_once(const X& x, const Y& y, X& quotient, Y& remainder, UInt1& is_done) {
  quotient = 0;
  remainder = 0;
  is_done = 0;
  co_await clock();
  const auto result = co_await divide(x, y);
  quotient = result.quotient;
  remainder = result.remainder;
  is_done = 1;
}

/// Runs it until it ends; the quotient and remainder, and the clocks after the first wait.
template <typename X, typename Y>
struct Divided {
  long long quotient = 0;
  long long remainder = 0;
  int clocks = 0;

  Divided(const X& x, const Y& y) {
    using Divider = Process<&divide_once<X, Y>>;
    Divider divider;
    typename Divider::Inputs in;
    part<0>(in) = x;
    part<1>(in) = y;
    divider.clock(in);
    for (; part<4>(divider.outputs()) == 0; ++clocks) divider.clock(in);
    const auto out = divider.outputs();
    quotient = static_cast<long long>(part<2>(out).value());
    remainder = static_cast<long long>(part<3>(out).value());
  }
};

TEST_CASE("divide gives the quotient and remainder of unsigned values", "[divide]") {
  for (unsigned x = 0; x < 64; ++x) {
    for (unsigned y = 0; y < 16; ++y) {
      const Divided<UInt<6>, UInt<4>> divided(UInt<6>::from(x), UInt<4>::from(y));
      INFO(x << " / " << y);
      CHECK(divided.quotient == (y == 0 ? 63 : x / y));
      CHECK(divided.remainder == (y == 0 ? x % 16 : x % y));
    }
  }
}

TEST_CASE("divide rounds toward zero, and the remainder has the dividend's sign", "[divide]") {
  for (int x = -16; x < 16; ++x) {
    for (int y = -32; y < 32; ++y) {
      const Divided<Int<5>, Int<6>> divided(Int<5>::from(x), Int<6>::from(y));
      INFO(x << " / " << y);
      const bool wraps = x == -16 && y == -1;  // 16 does not fit
      CHECK(divided.quotient == (y == 0 ? -1 : wraps ? -16 : x / y));
      CHECK(divided.remainder == (y == 0 ? x : x % y));
    }
  }
}

TEST_CASE("divide takes a clock for each bit of the dividend", "[divide]") {
  CHECK(Divided<UInt<1>, UInt<9>>(1, 1).clocks == 1);
  CHECK(Divided<UInt<13>, UInt<2>>(5000, 3).clocks == 13);
  CHECK(Divided<Int<16>, Int<16>>(-5000, 3).clocks == 16);
}

}  // namespace
}  // namespace systole::tests
