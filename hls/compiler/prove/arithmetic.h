#pragma once

#include "hls/compiler/prove/circuit.h"

namespace systole::compiler {

/// Integer operations as gates. Both sides of a proof are built from these, so equal operations
/// become equal gates; the tests compare each with plain C++.
///
/// Shapes   two operands and a result of one width; comparisons have one bit
/// Numbers  modulo 2^width; shifting by the width or more gives 0 (or the sign)
class Arithmetic {
 public:
  explicit Arithmetic(Circuit& circuit) : circuit_(&circuit) {}

  static Bits constant(std::uint64_t value, unsigned width);
  static bool is_constant(const Bits& bits);
  static std::uint64_t constant_value(const Bits& bits);  ///< the low 64 bits

  static Bits slice(const Bits& a, std::size_t low, std::size_t width);
  static Bits concat(const Bits& high, const Bits& low);
  static Bits extend(const Bits& a, std::size_t width,
                     bool is_signed);  ///< or truncated to the width
  static Bits complement(const Bits& a);

  Bits both(const Bits& a, const Bits& b);
  Bits either(const Bits& a, const Bits& b);
  Bits differ(const Bits& a, const Bits& b);
  Signal any(const Bits& a);
  Signal all(const Bits& a) { return inverse(any(complement(a))); }
  Signal parity(const Bits& a);

  Bits add(const Bits& a, const Bits& b, Signal carry = kFalse);
  Bits subtract(const Bits& a, const Bits& b) { return add(a, complement(b), kTrue); }
  Bits negate(const Bits& a) { return subtract(constant(0, static_cast<unsigned>(a.size())), a); }
  Bits multiply(const Bits& a, const Bits& b);

  Signal equal(const Bits& a, const Bits& b) { return inverse(any(differ(a, b))); }
  Signal below(const Bits& a, const Bits& b);         ///< a < b, unsigned
  Signal signed_below(const Bits& a, const Bits& b);  ///< a < b, signed

  Bits shift_left(const Bits& a, const Bits& amount);
  Bits shift_right(const Bits& a, const Bits& amount, Signal fill);
  Bits count_ones(const Bits& a);
  Bits leading_zeros(const Bits& a);  ///< the width for 0

 private:
  Bits shift(const Bits& a, const Bits& amount, bool left, Signal fill);

  Circuit* circuit_;
};

}  // namespace systole::compiler
