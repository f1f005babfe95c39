#include "hls/compiler/prove/arithmetic.h"

#include <algorithm>

namespace systole::compiler {

Bits Arithmetic::constant(std::uint64_t value, unsigned width) {
  Bits bits(width, kFalse);
  for (unsigned i = 0; i < width && i < 64; ++i) bits[i] = (value >> i) & 1 ? kTrue : kFalse;
  return bits;
}

bool Arithmetic::is_constant(const Bits& bits) {
  return std::all_of(bits.begin(), bits.end(), [](Signal bit) { return bit <= kTrue; });
}

std::uint64_t Arithmetic::constant_value(const Bits& bits) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bits.size() && i < 64; ++i) value |= std::uint64_t{bits[i]} << i;
  return value;
}

Bits Arithmetic::slice(const Bits& a, std::size_t low, std::size_t width) {
  return {a.begin() + static_cast<std::ptrdiff_t>(low),
          a.begin() + static_cast<std::ptrdiff_t>(low + width)};
}

Bits Arithmetic::concat(const Bits& high, const Bits& low) {
  Bits bits = low;
  bits.insert(bits.end(), high.begin(), high.end());
  return bits;
}

Bits Arithmetic::extend(const Bits& a, std::size_t width, bool is_signed) {
  Bits bits = a;
  bits.resize(width, is_signed && !a.empty() ? a.back() : kFalse);
  return bits;
}

Bits Arithmetic::complement(const Bits& a) {
  Bits bits = a;
  for (Signal& bit : bits) bit = inverse(bit);
  return bits;
}

Bits Arithmetic::both(const Bits& a, const Bits& b) {
  Bits bits(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) bits[i] = circuit_->both(a[i], b.at(i));
  return bits;
}

Bits Arithmetic::either(const Bits& a, const Bits& b) {
  return complement(both(complement(a), complement(b)));
}

Bits Arithmetic::differ(const Bits& a, const Bits& b) {
  Bits bits(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) bits[i] = circuit_->differ(a[i], b.at(i));
  return bits;
}

Signal Arithmetic::any(const Bits& a) {
  Signal result = kFalse;
  for (const Signal bit : a) result = circuit_->either(result, bit);
  return result;
}

Signal Arithmetic::parity(const Bits& a) {
  Signal result = kFalse;
  for (const Signal bit : a) result = circuit_->differ(result, bit);
  return result;
}

Bits Arithmetic::add(const Bits& a, const Bits& b, Signal carry) {
  Bits sum(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Signal half = circuit_->differ(a[i], b.at(i));
    sum[i] = circuit_->differ(half, carry);
    carry = circuit_->either(circuit_->both(a[i], b[i]), circuit_->both(half, carry));
  }
  return sum;
}

Bits Arithmetic::multiply(const Bits& a, const Bits& b) {
  const auto width = static_cast<unsigned>(a.size());
  // The operand with more constant bits selects the rows, whichever side it is on.
  const auto constants = [](const Bits& x) {
    return std::count_if(x.begin(), x.end(), [](Signal bit) { return bit <= kTrue; });
  };
  const bool swap = constants(a) != constants(b) ? constants(a) > constants(b) : a > b;
  const Bits& rows = swap ? a : b;
  const Bits& columns = swap ? b : a;
  Bits sum = constant(0, width);
  for (unsigned row = 0; row < width; ++row) {
    if (rows[row] == kFalse) continue;
    Bits partial = constant(0, width);
    for (unsigned i = row; i < width; ++i) {
      partial[i] = circuit_->both(rows[row], columns[i - row]);
    }
    sum = add(sum, partial);
  }
  return sum;
}

Signal Arithmetic::below(const Bits& a, const Bits& b) {
  Signal less = kFalse;
  for (std::size_t i = 0; i < a.size(); ++i) {
    less = circuit_->choose(circuit_->differ(a[i], b.at(i)), b[i], less);
  }
  return less;
}

Signal Arithmetic::signed_below(const Bits& a, const Bits& b) {
  Bits x = a;
  Bits y = b;
  x.back() = inverse(x.back());
  y.back() = inverse(y.back());
  return below(x, y);
}

Bits Arithmetic::shift(const Bits& a, const Bits& amount, bool left, Signal fill) {
  Bits bits = a;
  Signal out = kFalse;
  for (std::size_t step = 0; step < amount.size(); ++step) {
    if (step >= 32 || (std::size_t{1} << step) >= a.size()) {
      out = circuit_->either(out, amount[step]);
      continue;
    }
    const std::size_t distance = std::size_t{1} << step;
    Bits moved(bits.size(), fill);
    for (std::size_t i = 0; i + distance < bits.size(); ++i) {
      if (left) {
        moved[i + distance] = bits[i];
      } else {
        moved[i] = bits[i + distance];
      }
    }
    bits = circuit_->choose(amount[step], moved, bits);
  }
  return circuit_->choose(out, Bits(a.size(), fill), bits);
}

Bits Arithmetic::shift_left(const Bits& a, const Bits& amount) {
  return shift(a, amount, /*left=*/true, kFalse);
}

Bits Arithmetic::shift_right(const Bits& a, const Bits& amount, Signal fill) {
  return shift(a, amount, /*left=*/false, fill);
}

Bits Arithmetic::count_ones(const Bits& a) {
  const auto width = static_cast<unsigned>(a.size());
  Bits sum = constant(0, width);
  for (const Signal bit : a) sum = add(sum, constant(0, width), bit);
  return sum;
}

Bits Arithmetic::leading_zeros(const Bits& a) {
  const auto width = static_cast<unsigned>(a.size());
  Bits count = constant(width, width);
  for (unsigned i = 0; i < width; ++i) {
    count = circuit_->choose(a[i], constant(width - 1 - i, width), count);
  }
  return count;
}

}  // namespace systole::compiler
