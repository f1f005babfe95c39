#include "hls/compiler/prove/operations.h"

#include <fmt/format.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

using llvm::Instruction;
namespace Intrinsic = llvm::Intrinsic;

constexpr const char* kOverflow = "an integer overflow";
constexpr const char* kOvershift = "a shift by the width or more";

class Integers {
 public:
  Integers(Circuit& circuit, const std::vector<Bits>& operands)
      : circuit_(circuit), gates_(circuit), operands_(operands) {}

  OperationResult add(bool no_signed, bool no_unsigned) {
    return exact(
        gates_.add(a(), b()), no_signed, no_unsigned,
        [this](const Bits& x, const Bits& y) { return gates_.add(x, y); }, 1);
  }
  OperationResult subtract(bool no_signed, bool no_unsigned) {
    return exact(
        gates_.subtract(a(), b()), no_signed, no_unsigned,
        [this](const Bits& x, const Bits& y) { return gates_.subtract(x, y); }, 1);
  }
  /// A product of n and m bits has n + m bits; it can overflow only if those do not fit.
  OperationResult multiply(bool no_signed, bool no_unsigned) {
    const auto wide_product = [this](const Bits& x, const Bits& y) {
      return gates_.multiply(x, y);
    };
    const auto more = [this](bool is_signed) {
      const std::size_t exact = used_bits(a(), is_signed) + used_bits(b(), is_signed);
      return exact > width() ? exact - width() : 0;
    };
    return exact(gates_.multiply(a(), b()), no_signed && more(true) > 0,
                 no_unsigned && more(false) > 0, wide_product, std::max(more(true), more(false)));
  }

  OperationResult shift_left(bool no_signed, bool no_unsigned) {
    OperationResult result{.bits = gates_.shift_left(a(), b()), .what = kOvershift};
    result.undefined = overshift();
    if (no_unsigned) lose(result, gates_.shift_right(result.bits, b(), kFalse));
    if (no_signed) lose(result, gates_.shift_right(result.bits, b(), result.bits.back()));
    return result;
  }
  OperationResult shift_right(Signal fill, bool is_exact) {
    OperationResult result{.bits = gates_.shift_right(a(), b(), fill), .what = kOvershift};
    result.undefined = overshift();
    if (is_exact) lose(result, gates_.shift_left(result.bits, b()));
    return result;
  }

  Signal compare(llvm::CmpInst::Predicate predicate) {
    switch (predicate) {
      case llvm::CmpInst::ICMP_EQ:
        return gates_.equal(a(), b());
      case llvm::CmpInst::ICMP_NE:
        return inverse(gates_.equal(a(), b()));
      case llvm::CmpInst::ICMP_ULT:
        return gates_.below(a(), b());
      case llvm::CmpInst::ICMP_UGT:
        return gates_.below(b(), a());
      case llvm::CmpInst::ICMP_ULE:
        return inverse(gates_.below(b(), a()));
      case llvm::CmpInst::ICMP_UGE:
        return inverse(gates_.below(a(), b()));
      case llvm::CmpInst::ICMP_SLT:
        return gates_.signed_below(a(), b());
      case llvm::CmpInst::ICMP_SGT:
        return gates_.signed_below(b(), a());
      case llvm::CmpInst::ICMP_SLE:
        return inverse(gates_.signed_below(b(), a()));
      default:
        return inverse(gates_.signed_below(a(), b()));
    }
  }

  Bits smaller(bool is_signed) { return circuit_.choose(less(is_signed), a(), b()); }
  Bits larger(bool is_signed) { return circuit_.choose(less(is_signed), b(), a()); }
  Signal less(bool is_signed) {
    return is_signed ? gates_.signed_below(a(), b()) : gates_.below(a(), b());
  }

  /// {a, b} shifted by amount modulo the width; its upper or lower half.
  Bits funnel(bool left) {
    const std::size_t size = width();
    Bits amount = operands_.at(2);
    if ((size & (size - 1)) == 0) {
      for (std::size_t i = 0; i < amount.size(); ++i) {
        if (i >= 32 || (std::size_t{1} << i) >= size) amount[i] = kFalse;
      }
    } else {
      // The remainder, by subtracting multiples of the width, largest first.
      const std::size_t top = amount.size();
      const std::size_t wide = top + 16;
      amount = Arithmetic::extend(amount, wide, false);
      for (std::size_t i = top; i-- > 0;) {
        const Bits multiple = Arithmetic::concat(
            Arithmetic::constant(size, static_cast<unsigned>(wide - i)), Bits(i, kFalse));
        amount = circuit_.choose(gates_.below(amount, multiple), amount,
                                 gates_.subtract(amount, multiple));
      }
    }
    amount = Arithmetic::extend(amount, 2 * size, false);
    const Bits pair = Arithmetic::concat(a(), b());
    return left ? Arithmetic::slice(gates_.shift_left(pair, amount), size, size)
                : Arithmetic::slice(gates_.shift_right(pair, amount, kFalse), 0, size);
  }

  /// The exact result if it fits, else the nearest bound.
  Bits saturated(bool sum, bool is_signed) {
    const std::size_t wide = width() + 2;
    const Bits x = Arithmetic::extend(a(), wide, is_signed);
    const Bits y = Arithmetic::extend(b(), wide, is_signed);
    const Bits value = sum ? gates_.add(x, y) : gates_.subtract(x, y);
    Bits most(width(), kTrue);
    Bits least(width(), kFalse);
    if (is_signed) {
      most.back() = kFalse;
      least.back() = kTrue;
    }
    const Signal above = gates_.signed_below(Arithmetic::extend(most, wide, is_signed), value);
    const Signal under = gates_.signed_below(value, Arithmetic::extend(least, wide, is_signed));
    return circuit_.choose(above, most,
                           circuit_.choose(under, least, Arithmetic::slice(value, 0, width())));
  }

  OperationResult absolute(bool least_is_undefined) {
    Bits least(width(), kFalse);
    least.back() = kTrue;
    return {.bits = circuit_.choose(a().back(), gates_.negate(a()), a()),
            .undefined = least_is_undefined ? gates_.equal(a(), least) : kFalse,
            .what = kOverflow};
  }

  Bits three_way(bool is_signed, unsigned result_width) {
    Bits minus_one(result_width, kTrue);
    Bits sign = Arithmetic::constant(1, result_width);
    sign = circuit_.choose(gates_.equal(a(), b()), Arithmetic::constant(0, result_width), sign);
    return circuit_.choose(less(is_signed), minus_one, sign);
  }

  const Bits& a() const { return operands_.at(0); }
  const Bits& b() const { return operands_.at(1); }
  std::size_t width() const { return a().size(); }
  Arithmetic& gates() { return gates_; }

 private:
  template <typename Operation>
  OperationResult exact(Bits bits, bool no_signed, bool no_unsigned, const Operation& wide_result,
                        std::size_t more) {
    OperationResult result{.bits = std::move(bits), .what = kOverflow};
    for (const bool is_signed : {false, true}) {
      if (!(is_signed ? no_signed : no_unsigned)) continue;
      const std::size_t wide = width() + more;
      const Bits value = wide_result(Arithmetic::extend(a(), wide, is_signed),
                                     Arithmetic::extend(b(), wide, is_signed));
      result.undefined = circuit_.either(
          result.undefined,
          inverse(gates_.equal(value, Arithmetic::extend(result.bits, wide, is_signed))));
    }
    return result;
  }

  /// The operand's bits without sign or zero extension.
  static std::size_t used_bits(const Bits& bits, bool is_signed) {
    std::size_t used = bits.size();
    if (is_signed) {
      while (used > 1 && bits[used - 2] == bits.back()) --used;
    } else {
      while (used > 0 && bits[used - 1] == kFalse) --used;
    }
    return used;
  }

  Signal overshift() {
    const std::size_t wide = width() + 1;
    const Bits limit = Arithmetic::constant(width(), static_cast<unsigned>(wide));
    return inverse(gates_.below(Arithmetic::extend(b(), wide, false), limit));
  }

  void lose(OperationResult& result, const Bits& back) {
    result.undefined = circuit_.either(result.undefined, inverse(gates_.equal(back, a())));
    result.what = kOverflow;
  }

  Circuit& circuit_;
  Arithmetic gates_;
  const std::vector<Bits>& operands_;
};

}  // namespace

OperationResult integer_operation(const Instruction& instruction, const std::vector<Bits>& operands,
                                  Circuit& circuit) {
  Integers integers(circuit, operands);
  Arithmetic& gates = integers.gates();
  bool no_signed = false;
  bool no_unsigned = false;
  if (const auto* wraps = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&instruction)) {
    no_signed = wraps->hasNoSignedWrap();
    no_unsigned = wraps->hasNoUnsignedWrap();
  }
  const auto* exact = llvm::dyn_cast<llvm::PossiblyExactOperator>(&instruction);
  const bool is_exact = exact && exact->isExact();
  const unsigned width =
      instruction.getType()->isIntegerTy() ? instruction.getType()->getIntegerBitWidth() : 0;
  switch (instruction.getOpcode()) {
    case Instruction::Add:
      return integers.add(no_signed, no_unsigned);
    case Instruction::Sub:
      return integers.subtract(no_signed, no_unsigned);
    case Instruction::Mul:
      return integers.multiply(no_signed, no_unsigned);
    case Instruction::Shl:
      return integers.shift_left(no_signed, no_unsigned);
    case Instruction::LShr:
      return integers.shift_right(kFalse, is_exact);
    case Instruction::AShr:
      return integers.shift_right(integers.a().back(), is_exact);
    case Instruction::And:
      return {.bits = gates.both(integers.a(), integers.b())};
    case Instruction::Or: {
      OperationResult result{.bits = gates.either(integers.a(), integers.b())};
      if (llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint()) {
        result.undefined = gates.any(gates.both(integers.a(), integers.b()));
        result.what = "an `or` of bits that are both set";
      }
      return result;
    }
    case Instruction::Xor:
      return {.bits = gates.differ(integers.a(), integers.b())};
    case Instruction::ICmp:
      return {.bits = {integers.compare(llvm::cast<llvm::ICmpInst>(instruction).getPredicate())}};
    case Instruction::ZExt: {
      OperationResult result{.bits = Arithmetic::extend(integers.a(), width, false)};
      if (instruction.hasNonNeg()) {
        result.undefined = integers.a().back();
        result.what = kOverflow;
      }
      return result;
    }
    case Instruction::SExt:
      return {.bits = Arithmetic::extend(integers.a(), width, true)};
    case Instruction::Trunc: {
      const auto& trunc = llvm::cast<llvm::TruncInst>(instruction);
      OperationResult result{.bits = Arithmetic::slice(integers.a(), 0, width), .what = kOverflow};
      for (const bool is_signed : {false, true}) {
        if (!(is_signed ? trunc.hasNoSignedWrap() : trunc.hasNoUnsignedWrap())) continue;
        const Bits back = Arithmetic::extend(result.bits, integers.width(), is_signed);
        result.undefined =
            circuit.either(result.undefined, inverse(gates.equal(back, integers.a())));
      }
      return result;
    }
    case Instruction::Freeze:
      return {.bits = integers.a()};
    default:
      refuse(instruction, fmt::format("no proof covers '{}'; use integer arithmetic",
                                      instruction.getOpcodeName()));
  }
}

OperationResult integer_intrinsic(const llvm::IntrinsicInst& call,
                                  const std::vector<Bits>& operands, Circuit& circuit) {
  Integers integers(circuit, operands);
  Arithmetic& gates = integers.gates();
  const auto flag = [&](unsigned index) { return operands.at(index) == Bits{kTrue}; };
  const auto overflowing = [](OperationResult result) {
    result.overflow = result.undefined;
    result.undefined = kFalse;
    result.has_overflow = true;
    return result;
  };
  const auto zero_count = [&](const Bits& from_top) -> OperationResult {
    return {.bits = gates.leading_zeros(from_top),
            .undefined = flag(1) ? inverse(gates.any(integers.a())) : kFalse,
            .what = "a count of the zeros of 0"};
  };
  switch (call.getIntrinsicID()) {
    case Intrinsic::umin:
      return {.bits = integers.smaller(false)};
    case Intrinsic::umax:
      return {.bits = integers.larger(false)};
    case Intrinsic::smin:
      return {.bits = integers.smaller(true)};
    case Intrinsic::smax:
      return {.bits = integers.larger(true)};
    case Intrinsic::abs:
      return integers.absolute(flag(1));
    case Intrinsic::ctpop:
      return {.bits = gates.count_ones(integers.a())};
    case Intrinsic::ctlz:
      return zero_count(integers.a());
    case Intrinsic::cttz:
      return zero_count(Bits(integers.a().rbegin(), integers.a().rend()));
    case Intrinsic::bitreverse:
      return {.bits = Bits(integers.a().rbegin(), integers.a().rend())};
    case Intrinsic::bswap: {
      Bits swapped;
      for (std::size_t byte = integers.width() / 8; byte-- > 0;) {
        swapped = Arithmetic::concat(Arithmetic::slice(integers.a(), 8 * byte, 8), swapped);
      }
      return {.bits = swapped};
    }
    case Intrinsic::fshl:
      return {.bits = integers.funnel(true)};
    case Intrinsic::fshr:
      return {.bits = integers.funnel(false)};
    case Intrinsic::uadd_sat:
      return {.bits = integers.saturated(true, false)};
    case Intrinsic::sadd_sat:
      return {.bits = integers.saturated(true, true)};
    case Intrinsic::usub_sat:
      return {.bits = integers.saturated(false, false)};
    case Intrinsic::ssub_sat:
      return {.bits = integers.saturated(false, true)};
    case Intrinsic::ucmp:
      return {.bits = integers.three_way(false, call.getType()->getIntegerBitWidth())};
    case Intrinsic::scmp:
      return {.bits = integers.three_way(true, call.getType()->getIntegerBitWidth())};
    case Intrinsic::uadd_with_overflow:
      return overflowing(integers.add(false, true));
    case Intrinsic::sadd_with_overflow:
      return overflowing(integers.add(true, false));
    case Intrinsic::usub_with_overflow:
      return overflowing(integers.subtract(false, true));
    case Intrinsic::ssub_with_overflow:
      return overflowing(integers.subtract(true, false));
    case Intrinsic::umul_with_overflow:
      return overflowing(integers.multiply(false, true));
    case Intrinsic::smul_with_overflow:
      return overflowing(integers.multiply(true, false));
    case Intrinsic::expect:
      return {.bits = integers.a()};
    default:
      refuse(call, fmt::format("no proof covers '{}'; use integer arithmetic",
                               call.getCalledFunction()->getName().str()));
  }
}

}  // namespace systole::compiler
