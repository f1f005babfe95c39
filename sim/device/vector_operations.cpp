#include "sim/device/vector_operations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "hls/kernels/vector/seeds.h"

namespace systole::vector {
namespace {

using Bits = std::uint32_t;
using Signed = std::int32_t;

constexpr Bits kNan = 0x7fc00000, kInfinity = 0x7f800000, kSign = 0x80000000;

// Written without branches, so that loops over them become vector instructions.
inline bool is_nan(Bits x) { return (x & ~kSign) > kInfinity; }
inline bool is_special(Bits x) { return (x & ~kSign) >= kInfinity; }
inline bool is_zero(Bits x) { return (x & kInfinity) == 0; }
inline Bits flush(Bits x) { return is_zero(x) ? x & kSign : x; }
/// Grows with the value, -0 below +0.
inline Signed order(Bits x) {
  const Bits flushed = flush(x);
  const Bits flip = static_cast<Bits>(static_cast<Signed>(flushed) >> 31) >> 1;
  return static_cast<Signed>(flushed ^ flip);
}
inline float value(Bits x) { return std::bit_cast<float>(x); }
inline Bits bits(float x) { return std::bit_cast<Bits>(x); }

inline Bits multiply_add(Bits a, Bits b, Bits c) {
  const float result = __builtin_fmaf(value(a), value(b), value(c));
  return result != result ? kNan : bits(result);
}
inline Bits extreme(Bits a, Bits b, bool takes_b) {
  const Bits taken = flush(takes_b ? b : a);
  return is_nan(a) || is_nan(b) ? kNan : taken;
}
inline bool compare(VectorPredicate predicate, Bits a, Bits b) {
  const Signed x = is_zero(a) ? 0 : order(a), y = is_zero(b) ? 0 : order(b);
  const bool ordered = !is_nan(a) && !is_nan(b);
  switch (predicate) {
    case VectorPredicate::kEqual:
      return ordered && x == y;
    case VectorPredicate::kLess:
      return ordered && x < y;
    case VectorPredicate::kLessEqual:
      return ordered && x <= y;
    case VectorPredicate::kIntegerEqual:
      return a == b;
    case VectorPredicate::kIntegerLess:
      return static_cast<Signed>(a) < static_cast<Signed>(b);
    default:
      return a < b;
  }
}
inline Bits to_integer(Bits a, bool floors) {
  if (is_nan(a)) return 0;
  const double x = value(flush(a));
  const double whole = floors ? std::floor(x) : std::nearbyint(x);
  return static_cast<Bits>(static_cast<Signed>(std::clamp(whole, -0x1p31, 0x1p31 - 1)));
}
inline Bits to_bf16(Bits a, Bits random, bool is_stochastic) {
  const Bits up = is_stochastic ? random & 0xffff : 0x7fff + (a >> 16 & 1);
  const Bits rounded = is_special(a) ? a >> 16 : (a + up) >> 16;
  return is_nan(a) ? 0x7fc0 : (is_zero(a) ? (a & kSign) >> 16 : rounded);
}
inline Bits exponent(Bits a) {
  const Bits finite = (a >> 23 & 0xff) - 127;
  const Bits outside = is_zero(a) ? static_cast<Bits>(-512) : 512;
  return is_zero(a) || is_special(a) ? outside : finite;
}
inline Bits significand(Bits a) {
  const Bits fraction = is_zero(a) || is_special(a) ? 0 : a & 0x7fffff;
  return is_nan(a) ? kNan : (a & kSign) | 0x3f800000 | fraction;
}
inline Bits scale(Bits a, Bits amount) {
  const Signed by = std::clamp(static_cast<Signed>(amount), -1024, 1023);
  const Signed place = static_cast<Signed>(a >> 23 & 0xff) + by;
  const Bits number = static_cast<Bits>(place) << 23 | (a & 0x7fffff);
  const Bits large = place > 254 || is_special(a) ? kInfinity : number;
  const Bits magnitude = is_zero(a) || (place < 1 && !is_special(a)) ? 0 : large;
  return is_nan(a) ? kNan : (a & kSign) | magnitude;
}
inline Bits seed(Bits a, VectorTable table) {
  const bool is_root = table == VectorTable::kReciprocalRoot;
  const Bits exponent = a >> 23 & 0xff;
  const Bits fraction = is_root ? kernels::kReciprocalRootSeeds[a >> 18 & 63]
                                : kernels::kReciprocalSeeds[a >> 17 & 63];
  const Bits inverse = is_root ? 190 - (exponent + 1) / 2 : 253 - exponent;
  const Bits number = inverse << 23 | fraction << 15;
  return (a & kSign) | (!is_root && exponent > 252 ? 0 : number);
}
inline Bits mask(bool condition) { return condition ? ~Bits{0} : 0; }

/// Writes f(a[i], b[i], c[i]) for the first `count` elements; all but 8 of a block at a time.
template <typename Function>
void each(Bits* result, const Bits* a, const Bits* b, const Bits* c, std::size_t count,
          const Function& f) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) result[i] = f(a[i], b[i], c[i]);
}

}  // namespace

void execute(const Instruction& instruction, Bits* result, const Bits* a, const Bits* b,
             const Bits* c, std::size_t count) {
  const auto all = [&](const auto& f) { each(result, a, b, c, count, f); };
  const Bits factor = instruction.negate_product ? kSign : 0;
  const Bits addend = instruction.negate_addend ? kSign : 0;
  const Bits product = instruction.negate_product ? ~Bits{0} : 1;
  const Bits term = instruction.negate_addend ? ~Bits{0} : 1;
  const Bits flip = instruction.negate_product ? ~Bits{0} : 0;
  const auto predicates = [&](auto predicate) {
    all([](Bits x, Bits y, Bits) { return mask(compare(decltype(predicate)::value, x, y)); });
  };
  switch (instruction.operation) {
    case VectorOperation::kFma:
      return all([=](Bits x, Bits y, Bits z) { return multiply_add(x ^ factor, y, z ^ addend); });
    case VectorOperation::kMaximum:
      return all([](Bits x, Bits y, Bits) { return extreme(x, y, order(x) < order(y)); });
    case VectorOperation::kMinimum:
      return all([](Bits x, Bits y, Bits) { return extreme(x, y, order(y) < order(x)); });
    case VectorOperation::kCompare:
      switch (static_cast<VectorPredicate>(instruction.mode)) {
        using P = VectorPredicate;
        case P::kEqual:
          return predicates(std::integral_constant<P, P::kEqual>());
        case P::kLess:
          return predicates(std::integral_constant<P, P::kLess>());
        case P::kLessEqual:
          return predicates(std::integral_constant<P, P::kLessEqual>());
        case P::kIntegerEqual:
          return predicates(std::integral_constant<P, P::kIntegerEqual>());
        case P::kIntegerLess:
          return predicates(std::integral_constant<P, P::kIntegerLess>());
        default:
          return predicates(std::integral_constant<P, P::kUnsignedLess>());
      }
    case VectorOperation::kSelect:
      return all([](Bits x, Bits y, Bits z) { return z == 0 ? y : x; });
    case VectorOperation::kAnd:
      return all([=](Bits x, Bits y, Bits) { return x & (y ^ flip); });
    case VectorOperation::kOr:
      return all([](Bits x, Bits y, Bits z) { return x | y | z; });
    case VectorOperation::kXor:
      return all([](Bits x, Bits y, Bits z) { return x ^ y ^ z; });
    case VectorOperation::kShiftLeft:
      return all([](Bits x, Bits y, Bits) { return y > 31 ? 0 : x << (y & 31); });
    case VectorOperation::kShiftRight:
      return all([](Bits x, Bits y, Bits) { return y > 31 ? 0 : x >> (y & 31); });
    case VectorOperation::kShiftRightSigned:
      return all([](Bits x, Bits y, Bits) {
        return static_cast<Bits>(static_cast<Signed>(x) >> (y > 31 ? 31 : y));
      });
    case VectorOperation::kMultiplyAdd:
      return all([=](Bits x, Bits y, Bits z) { return x * y * product + z * term; });
    case VectorOperation::kMultiplyHigh:
      return all(
          [](Bits x, Bits y, Bits z) { return static_cast<Bits>(std::uint64_t{x} * y >> 32) ^ z; });
    case VectorOperation::kToInteger:
      return (instruction.mode & 1) != 0
                 ? all([](Bits x, Bits, Bits) { return to_integer(x, true); })
                 : all([](Bits x, Bits, Bits) { return to_integer(x, false); });
    case VectorOperation::kToFloat:
      return all(
          [](Bits x, Bits, Bits) { return bits(static_cast<float>(static_cast<Signed>(x))); });
    case VectorOperation::kToBf16:
      return all([](Bits x, Bits, Bits) { return to_bf16(x, 0, false); });
    case VectorOperation::kToBf16Stochastic:
      return all([](Bits x, Bits y, Bits) { return to_bf16(x, y, true); });
    case VectorOperation::kExponent:
      return all([](Bits x, Bits, Bits) { return exponent(x); });
    case VectorOperation::kSignificand:
      return all([](Bits x, Bits, Bits) { return significand(x); });
    case VectorOperation::kScale:
      return all([](Bits x, Bits y, Bits) { return scale(x, y); });
    default:
      return (instruction.mode & 1) != 0
                 ? all([](Bits x, Bits, Bits) { return seed(x, VectorTable::kReciprocalRoot); })
                 : all([](Bits x, Bits, Bits) { return seed(x, VectorTable::kReciprocal); });
  }
}

}  // namespace systole::vector
