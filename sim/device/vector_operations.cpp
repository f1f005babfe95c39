// The vector engine's operations for one instruction set of the processor; compiled once for each,
// with SYSTOLE_VECTOR_SET naming it. Calls no inline functions of others: the linker could
// otherwise pick a copy compiled for a newer set for a function that the rest of the program
// shares.
#include "sim/device/vector_operations.h"

#include <immintrin.h>

#include "hls/kernels/vector/seeds.h"

namespace systole::vector::SYSTOLE_VECTOR_SET {
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
inline float value(Bits x) { return __builtin_bit_cast(float, x); }
inline Bits bits(float x) { return __builtin_bit_cast(Bits, x); }
template <typename T>
inline T clamped(T x, T least, T most) {
  return x < least ? least : (most < x ? most : x);
}

inline Bits multiply_add(Bits a, Bits b, Bits c) {
  const float result = __builtin_fmaf(value(a), value(b), value(c));
  return result != result ? kNan : bits(result);
}
inline Bits extreme(Bits a, Bits b, bool takes_b) {
  const Bits taken = flush(takes_b ? b : a);
  return is_nan(a) || is_nan(b) ? kNan : taken;
}
template <VectorPredicate predicate>
inline bool compare(Bits a, Bits b) {
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
  const double whole = floors ? __builtin_floor(x) : __builtin_nearbyint(x);
  return static_cast<Bits>(static_cast<Signed>(clamped(whole, -0x1p31, 0x1p31 - 1)));
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
  const Signed by = clamped(static_cast<Signed>(amount), -1024, 1023);
  const Signed place = static_cast<Signed>(a >> 23 & 0xff) + by;
  const Bits number = static_cast<Bits>(place) << 23 | (a & 0x7fffff);
  const Bits large = place > 254 || is_special(a) ? kInfinity : number;
  const Bits magnitude = is_zero(a) || (place < 1 && !is_special(a)) ? 0 : large;
  return is_nan(a) ? kNan : (a & kSign) | magnitude;
}
/// The bits of a value that choose its seed.
template <VectorTable kTable>
inline Bits seed_number(Bits a) {
  return a >> (kTable == VectorTable::kReciprocalRoot ? 18 : 17) & 63;
}
template <VectorTable kTable>
inline Bits seed(Bits a, Bits fraction) {
  constexpr bool kIsRoot = kTable == VectorTable::kReciprocalRoot;
  const Bits exponent = a >> 23 & 0xff;
  const Bits inverse = kIsRoot ? 190 - (exponent + 1) / 2 : 253 - exponent;
  const Bits number = inverse << 23 | fraction << 15;
  return (a & kSign) | (!kIsRoot && exponent > 252 ? 0 : number);
}
inline Bits mask(bool condition) { return condition ? ~Bits{0} : 0; }

/// Calls f(operands, results, elements) for a part of kSame elements at a time.
template <typename Function>
inline void each_part(Bits* result, Operand a, Operand b, Operand c, std::size_t count,
                      const Function& f) {
  const std::size_t a_mask = a.is_same ? 0 : ~std::size_t{0};
  const std::size_t b_mask = b.is_same ? 0 : ~std::size_t{0};
  const std::size_t c_mask = c.is_same ? 0 : ~std::size_t{0};
  std::size_t i = 0;
  for (; i + kSame <= count; i += kSame) {
    f(a.first + (i & a_mask), b.first + (i & b_mask), c.first + (i & c_mask), result + i, kSame);
  }
  if (i == count) return;
  f(a.first + (i & a_mask), b.first + (i & b_mask), c.first + (i & c_mask), result + i, count - i);
}

/// Writes f(a[i], b[i], c[i]) for the first `count` elements.
template <typename Function>
void each(Bits* result, Operand a, Operand b, Operand c, std::size_t count, const Function& f) {
  each_part(result, a, b, c, count,
            [&](const Bits* x, const Bits* y, const Bits* z, Bits* to, std::size_t elements)
                __attribute__((always_inline)) {
                  if (elements == kSame) {
#pragma omp simd
                    for (std::size_t k = 0; k < kSame; ++k) to[k] = f(x[k], y[k], z[k]);
                  } else {
#pragma omp simd
                    for (std::size_t k = 0; k < elements; ++k) to[k] = f(x[k], y[k], z[k]);
                  }
                });
}

/// Writes the table's seed for each of kSame numbers below 64.
inline void look_up(const std::uint8_t (&table)[64], const Bits (&number)[kSame],
                    Bits (&seeds)[kSame]) {
#if defined(__AVX512F__)
  constexpr std::size_t kLanes = 16;
  __m512i part[4];
  for (std::size_t i = 0; i < 4; ++i) {
    part[i] =
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + i * kLanes)));
  }
  for (std::size_t i = 0; i < kSame; i += kLanes) {
    const __m512i at = _mm512_loadu_si512(number + i);
    const __m512i low = _mm512_permutex2var_epi32(part[0], at, part[1]);
    const __m512i high = _mm512_permutex2var_epi32(part[2], at, part[3]);
    const __mmask16 is_high = _mm512_test_epi32_mask(at, _mm512_set1_epi32(32));
    _mm512_storeu_si512(seeds + i, _mm512_mask_blend_epi32(is_high, low, high));
  }
#else
  for (std::size_t i = 0; i < kSame; ++i) seeds[i] = table[number[i]];
#endif
}

template <VectorTable kTable>
void each_seed(Bits* result, Operand a, std::size_t count) {
  const auto& table = kTable == VectorTable::kReciprocalRoot ? kernels::kReciprocalRootSeeds
                                                             : kernels::kReciprocalSeeds;
  each_part(result, a, a, a, count,
            [&](const Bits* x, const Bits*, const Bits*, Bits* to, std::size_t elements) {
              Bits number[kSame] = {}, seeds[kSame];
              for (std::size_t k = 0; k < elements; ++k) number[k] = seed_number<kTable>(x[k]);
              look_up(table, number, seeds);
              for (std::size_t k = 0; k < elements; ++k) to[k] = seed<kTable>(x[k], seeds[k]);
            });
}

}  // namespace

void execute(const Instruction& instruction, Bits* result, Operand a, Operand b, Operand c,
             std::size_t count) {
  const auto all = [&](const auto& f) { each(result, a, b, c, count, f); };
  const Bits factor = instruction.negate_product ? kSign : 0;
  const Bits addend = instruction.negate_addend ? kSign : 0;
  const Bits product = instruction.negate_product ? ~Bits{0} : 1;
  const Bits term = instruction.negate_addend ? ~Bits{0} : 1;
  const Bits flip = instruction.negate_product ? ~Bits{0} : 0;
  const auto compares = [&]<VectorPredicate kPredicate>() {
    all([](Bits x, Bits y, Bits) { return mask(compare<kPredicate>(x, y)); });
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
          return compares.operator()<P::kEqual>();
        case P::kLess:
          return compares.operator()<P::kLess>();
        case P::kLessEqual:
          return compares.operator()<P::kLessEqual>();
        case P::kIntegerEqual:
          return compares.operator()<P::kIntegerEqual>();
        case P::kIntegerLess:
          return compares.operator()<P::kIntegerLess>();
        default:
          return compares.operator()<P::kUnsignedLess>();
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
      return (instruction.mode & 1) != 0 ? each_seed<VectorTable::kReciprocalRoot>(result, a, count)
                                         : each_seed<VectorTable::kReciprocal>(result, a, count);
  }
}

}  // namespace systole::vector::SYSTOLE_VECTOR_SET
