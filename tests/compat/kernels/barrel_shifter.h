#pragma once

#include "ac_int.h"

enum class ShiftKind : unsigned char { kLeft, kRight, kArithmetic, kRotate };

/// A shifter of 32 bits by a variable amount, in the four ways of a processor.
inline ac_int<32, false> barrel_shift(ac_int<32, false> x, ac_int<5, false> amount,
                                      const ShiftKind& kind) {
  switch (kind) {
    case ShiftKind::kLeft:
      return x << amount;
    case ShiftKind::kRight:
      return x >> amount;
    case ShiftKind::kArithmetic:
      return ac_int<32, true>(x) >> amount;
    case ShiftKind::kRotate:
      break;
  }
  return (x >> amount) | (x << (32 - amount));
}
