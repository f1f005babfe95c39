#include <catch2/catch.hpp>
#include <cstdint>

#include "systole/cosim/leaves.h"

namespace {

using systole::cosim::EnumRange;
using systole::cosim::kEnumRange;
using systole::cosim::leaf_width;

enum class Scoped { kFirst, kSecond, kLast = 63 };
enum Unscoped { kZero, kSeven = 7 };
enum SignedUnscoped { kMinusThree = -3, kTwo = 2 };
enum class Widest { kLeast = -128, kGreatest = 1023 };
enum class Byte : std::uint8_t { kLast = 255 };
enum class SignedByte : signed char { kLeast = -5, kGreatest = 3 };
enum class Flag : bool { kNo, kYes };
enum class Nothing : std::uint16_t {};

// Commas, brackets and a parenthesis in the enum's own name.
template <int kRows, typename T>
struct Holder {
  enum class Scoped { kNone, kNinth = 9, kTenth };
  enum Plain { kBegin, kEnd = 3 };
};
using Held = Holder<(3), Holder<4, Scoped>>;

template <typename T>
bool spans(std::int64_t low, std::int64_t high) {
  return kEnumRange<T>.low == low && kEnumRange<T>.high == high;
}

TEST_CASE("An enum's range is found from its enumerators") {
  CHECK(spans<Scoped>(0, 63));
  CHECK(spans<Unscoped>(0, 7));
  CHECK(spans<SignedUnscoped>(-3, 2));
  CHECK(spans<Widest>(-128, 1023));
  CHECK(spans<Byte>(0, 255));
  CHECK(spans<SignedByte>(-5, 3));
  CHECK(spans<Flag>(0, 1));
  CHECK(spans<Nothing>(0, 0));
}

TEST_CASE("An enum's range does not depend on where the enum is declared") {
  enum class Local { kFirst, kLast = 4 };
  CHECK(spans<Local>(0, 4));
  CHECK(spans<Held::Scoped>(0, 10));
  CHECK(spans<Held::Plain>(0, 3));
  const auto in_lambda = [] {
    enum class Inner { kFirst, kLast = 6 };
    return spans<Inner>(0, 6);
  };
  CHECK(in_lambda());
}

TEST_CASE("An enum's port is as wide as its enumerators need") {
  STATIC_REQUIRE(leaf_width<Scoped> == 6);
  STATIC_REQUIRE(leaf_width<SignedUnscoped> == 3);
  STATIC_REQUIRE(leaf_width<Widest> == 11);
  STATIC_REQUIRE(leaf_width<Flag> == 1);
  STATIC_REQUIRE(leaf_width<Nothing> == 1);
}

}  // namespace
