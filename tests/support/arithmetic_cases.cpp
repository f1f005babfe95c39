#include "tests/support/arithmetic_cases.h"

#include <algorithm>
#include <bit>

namespace systole::tests {
namespace {

constexpr std::uint32_t kSign = 0x80000000;

std::uint32_t pack(bool negative, int exponent, std::uint32_t fraction) {
  const int clamped = std::clamp(exponent, 0, 255);
  return (negative ? kSign : 0) | (static_cast<std::uint32_t>(clamped) << 23) |
         (fraction & 0x7fffff);
}

std::uint16_t pack_bf16(bool negative, int exponent, std::uint32_t fraction) {
  return static_cast<std::uint16_t>(pack(negative, exponent, fraction << 16) >> 16);
}

int exponent_of(std::uint32_t fp32_bits) { return static_cast<int>((fp32_bits >> 23) & 0xff); }

// A fraction with few ones, few zeros or neither, to get long carries and exact halves.
std::uint32_t fraction_bits(Random& random) {
  const auto one = [&] { return std::uint32_t{1} << random.below(23); };
  switch (random.below(4)) {
    case 0:
      return one() | one();
    case 1:
      return ~(one() | one());
    case 2:
      return (one() - 1) ^ one();
    default:
      return random.bits32();
  }
}

bool coin(Random& random) { return (random.bits() & 1) != 0; }

template <typename T>
T pick(const std::vector<T>& values, Random& random) {
  return values[random.below(static_cast<std::uint32_t>(values.size()))];
}

// An operand whose exponent lies in low .. high.
std::uint16_t operand(Random& random, int low, int high) {
  return pack_bf16(coin(random), random.between(low, high), fraction_bits(random) >> 16);
}

// The product as fp32 bits; exact unless it is out of range, where any value will do.
std::uint32_t product_bits(std::uint16_t activation, std::uint16_t weight) {
  const auto widen = [](std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16); };
  return std::bit_cast<std::uint32_t>(widen(activation) * widen(weight));
}

// A value near -target: off by a few units in the last place of one of its neighbours.
std::uint32_t near_negative(std::uint32_t target, Random& random) {
  const std::uint32_t delta = std::uint32_t{1} << random.below(18);
  const std::uint32_t near = coin(random) ? target + delta : target - delta;
  return (random.below(4) == 0 ? target : near) ^ kSign;
}

const std::vector<std::uint16_t>& bf16_values() {
  static const std::vector<std::uint16_t> values = special_bf16();
  return values;
}

const std::vector<std::uint32_t>& fp32_values() {
  static const std::vector<std::uint32_t> values = special_fp32();
  return values;
}

}  // namespace

std::vector<std::uint16_t> special_bf16() {
  std::vector<std::uint16_t> values;
  for (const unsigned magnitude :
       {0x0000u, 0x0001u, 0x0002u, 0x0040u, 0x007eu, 0x007fu,  // zero, subnormals
        0x0080u, 0x0081u, 0x00c0u, 0x00ffu, 0x0100u, 0x017fu,  // smallest normals
        0x1f80u, 0x1fffu, 0x2000u, 0x2001u, 0x3380u, 0x3400u,  // products near 2^-126; 2^-24
        0x3f00u, 0x3f7fu, 0x3f80u, 0x3f81u, 0x3faau, 0x3fffu,
        0x4000u,  // around one and two
        0x5f7fu, 0x5f80u, 0x5fffu, 0x7e80u, 0x7f00u, 0x7f7eu,
        0x7f7fu,                                         // products near 2^128; largest
        0x7f80u, 0x7f81u, 0x7fbfu, 0x7fc0u, 0x7fffu}) {  // infinity, NaNs
    values.push_back(static_cast<std::uint16_t>(magnitude));
    values.push_back(static_cast<std::uint16_t>(magnitude | 0x8000));
  }
  return values;
}

std::vector<std::uint32_t> special_fp32() {
  std::vector<std::uint32_t> values;
  const auto both_signs = [&](std::uint32_t magnitude) {
    values.push_back(magnitude);
    values.push_back(magnitude | kSign);
  };
  for (const std::uint32_t magnitude :
       {0x00000000u, 0x00000001u, 0x00000002u, 0x00400000u, 0x007ffffeu, 0x007fffffu,  // subnormals
        0x00800000u, 0x00800001u, 0x00800002u, 0x00ffffffu, 0x01000000u,     // smallest normals
        0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0x3fffffffu, 0x40000000u,     // around one and two
        0x3fa95555u, 0x40490fdbu, 0x3faaaaaau,                               // busy fractions
        0x7e7fffffu, 0x7e800000u, 0x7f000000u, 0x7f7ffffeu, 0x7f7fffffu,     // largest
        0x7f800000u, 0x7f800001u, 0x7fbfffffu, 0x7fc00000u, 0x7fffffffu}) {  // infinity, NaNs
    both_signs(magnitude);
  }
  for (int distance = 1; distance <= 30; ++distance) {
    both_signs(pack(false, 127 - distance, 0));         // 2^-d next to one
    both_signs(pack(false, 127 + distance, 0));         // 2^d, whose last place is near one
    both_signs(pack(false, 127 + distance, 1));         // and odd: the tie goes up
    both_signs(pack(false, 127 - distance, 0x7fffff));  // just below a power of two
  }
  return values;
}

MacCase random_mac_case(Random& random) {
  MacCase mac;
  switch (random.below(8)) {
    case 0:  // any bits
      return {random.bits16(), random.bits16(), random.bits32()};
    case 1:  // special values, one of them replaced by any bits
      mac = {pick(bf16_values(), random), pick(bf16_values(), random), pick(fp32_values(), random)};
      if (coin(random)) mac.sum = random.bits32();
      return mac;
    case 2:  // the result near 2^-126
      mac.activation = operand(random, 40, 90);
      mac.weight = operand(random, 120 - exponent_of(std::uint32_t{mac.activation} << 16),
                           138 - exponent_of(std::uint32_t{mac.activation} << 16));
      mac.sum = pack(coin(random), random.between(0, 6), fraction_bits(random));
      if (coin(random)) mac.sum = near_negative(product_bits(mac.activation, mac.weight), random);
      return mac;
    case 3:  // the result near 2^128
      mac.activation = operand(random, 180, 200);
      mac.weight = operand(random, 376 - exponent_of(std::uint32_t{mac.activation} << 16),
                           384 - exponent_of(std::uint32_t{mac.activation} << 16));
      mac.sum = pack(coin(random), random.between(226, 254), fraction_bits(random));
      return mac;
    default:
      break;
  }
  mac.activation = operand(random, 90, 160);
  mac.weight = operand(random, 90, 160);
  const std::uint32_t product = product_bits(mac.activation, mac.weight);
  if (random.below(2) == 0) {
    mac.sum = near_negative(product, random);  // deep cancellation
  } else {  // the two overlap partly: halfway cases, long carries
    const int exponent = exponent_of(product) + random.between(-28, 28);
    mac.sum = pack(coin(random), exponent, fraction_bits(random));
  }
  return mac;
}

AddCase random_add_case(Random& random) {
  const std::uint32_t any = random.bits32();
  switch (random.below(5)) {
    case 0:
      return {any, random.bits32()};
    case 1:
      return {pick(fp32_values(), random), coin(random) ? any : pick(fp32_values(), random)};
    case 2:
      return {any, near_negative(any, random)};
    case 3: {  // both near the ends of the range
      const int end = coin(random) ? 1 : 251;
      return {pack(coin(random), random.between(end, end + 3), fraction_bits(random)),
              pack(coin(random), random.between(end, end + 3), fraction_bits(random))};
    }
    default:
      return {any, pack(coin(random), exponent_of(any) + random.between(-28, 28),
                        fraction_bits(random))};
  }
}

}  // namespace systole::tests
