#pragma once

#include "hls/kernels/fp32.h"
#include "hls/kernels/vector/fma.h"

namespace systole::kernels {

/// Stages of the units behind Fp32's operators.
inline constexpr int kFp32AddStages = 4;
inline constexpr int kFp32MultiplyStages = 4;
inline constexpr int kFp32MultiplyAddStages = 6;

/// x + y rounded once.
///
/// Timing   pure; used as Pipeline<&fp32_add, kFp32AddStages>, II = 1
/// Numbers  add_round's: to nearest even, subnormals are zeros, NaN is kFp32Nan
constexpr Fp32 fp32_add(const Fp32& x, const Fp32& y) {
  return Fp32::from_bits(
      add_round(UInt1(0), unpack_fp32(x.bits()), unpack_fp32(y.bits()), UInt32(0)));
}

/// x * y rounded once: fma_round's with -0 added, without its window and its normalisation.
///
/// Timing   pure; used as Pipeline<&fp32_multiply, kFp32MultiplyStages>, II = 1
/// Numbers  to nearest even, subnormals are zeros of their sign, NaN is kFp32Nan
constexpr Fp32 fp32_multiply(const Fp32& x, const Fp32& y) {
  const UInt1 sign = x.sign() ^ y.sign();
  const UInt<48> product = concat(UInt1(1), x.fraction()) * concat(UInt1(1), y.fraction());
  const UInt1 top = slice<47, 47>(product);
  const UInt<48> normal = top ? product : product << UInt1(1);
  const UInt1 round_up =
      slice<23, 23>(normal) & as_bit(!(slice<22, 0>(normal) == 0) || bit<24>(normal));
  const UInt<24> rounded = slice<46, 24>(normal) + round_up;
  // A carry out of the fraction leaves it zero and raises the exponent.
  const UInt<10> raised = (x.exponent() + y.exponent()) + UInt<2>(top + slice<23, 23>(rounded));
  const Int<11> exponent = raised - UInt8(127);

  const bool is_nan = x.is_nan() || y.is_nan() || (x.is_special() && y.is_zero()) ||
                      (y.is_special() && x.is_zero());
  const bool vanishes = x.is_zero() || y.is_zero() || exponent < 1;
  const bool is_infinite = x.is_special() || y.is_special() || (!vanishes && exponent > 254);
  const UInt<31> number = concat(slice<7, 0>(exponent), slice<22, 0>(rounded));
  const UInt<31> in_range = vanishes ? UInt<31>(0) : number;
  const UInt<31> value = is_infinite ? UInt<31>(0x7f800000) : in_range;
  return Fp32::from_bits(is_nan ? UInt32(kFp32Nan) : concat(sign, value));
}

/// x * y + z rounded once.
///
/// Timing   pure; used as Pipeline<&fp32_multiply_add, kFp32MultiplyAddStages>, II = 1
/// Numbers  fma_round's
constexpr Fp32 fp32_multiply_add(const Fp32& x, const Fp32& y, const Fp32& z) {
  const FmaFrame frame = fma_frame(x, y, z);
  const UInt<48> product = concat(UInt1(1), x.fraction()) * concat(UInt1(1), y.fraction());
  return Fp32::from_bits(
      fma_round(x, y, z, product, frame, move_significand(z, frame.shift), UInt1(0)));
}

}  // namespace systole::kernels
