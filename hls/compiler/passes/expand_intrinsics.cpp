#include "hls/compiler/passes/expand_intrinsics.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/passes/expand_divisions.h"

namespace systole::compiler {
namespace {

class Expansion {
 public:
  explicit Expansion(llvm::IntrinsicInst& call)
      : call_(call), builder_(&call), type_(llvm::dyn_cast<llvm::IntegerType>(call.getType())) {}

  /// The call's result in plain operations.
  llvm::Value* value() {
    switch (call_.getIntrinsicID()) {
      case llvm::Intrinsic::ctpop:
        return count_ones();
      case llvm::Intrinsic::ctlz:
        return first_one(/*from_top=*/true);
      case llvm::Intrinsic::cttz:
        return first_one(/*from_top=*/false);
      case llvm::Intrinsic::fshl:
      case llvm::Intrinsic::fshr:
        return funnel();
      case llvm::Intrinsic::umax:
        return chosen(llvm::CmpInst::ICMP_UGT, a(), b());
      case llvm::Intrinsic::umin:
        return chosen(llvm::CmpInst::ICMP_ULT, a(), b());
      case llvm::Intrinsic::smax:
        return chosen(llvm::CmpInst::ICMP_SGT, a(), b());
      case llvm::Intrinsic::smin:
        return chosen(llvm::CmpInst::ICMP_SLT, a(), b());
      case llvm::Intrinsic::abs:
        return builder_.CreateSelect(bit(width() - 1), builder_.CreateNeg(a()), a());
      case llvm::Intrinsic::usub_sat:
        return chosen(llvm::CmpInst::ICMP_UGT, builder_.CreateSub(a(), b()), number(0));
      case llvm::Intrinsic::bitreverse:
        return reversed(1);
      case llvm::Intrinsic::bswap:
        return reversed(8);
      case llvm::Intrinsic::uadd_sat:
        return unsigned_sum();
      case llvm::Intrinsic::sadd_sat:
      case llvm::Intrinsic::ssub_sat:
        return signed_saturated();
      case llvm::Intrinsic::ucmp:
      case llvm::Intrinsic::scmp:
        return three_way();
      default:
        llvm_unreachable("must_expand() says that this one stays");
    }
  }

 private:
  llvm::Value* a() { return call_.getArgOperand(0); }
  llvm::Value* b() { return call_.getArgOperand(1); }
  unsigned width() const { return type_->getBitWidth(); }
  llvm::Constant* number(std::uint64_t value) { return llvm::ConstantInt::get(type_, value); }
  llvm::Value* bit(unsigned position) {
    return builder_.CreateTrunc(builder_.CreateLShr(a(), position), builder_.getInt1Ty());
  }

  llvm::Value* count_ones() {
    llvm::Value* sum = number(0);
    for (unsigned i = 0; i < width(); ++i) {
      sum = builder_.CreateAdd(sum, builder_.CreateZExt(bit(i), type_));
    }
    return sum;
  }

  llvm::Value* first_one(bool from_top) {
    llvm::Value* count = number(width());
    for (unsigned i = 0; i < width(); ++i) {
      const unsigned zeros = width() - 1 - i;
      count = builder_.CreateSelect(bit(from_top ? i : zeros), number(zeros), count);
    }
    return count;
  }

  /// One of two values, by a comparison of a and b.
  llvm::Value* chosen(llvm::CmpInst::Predicate how, llvm::Value* yes, llvm::Value* no) {
    return builder_.CreateSelect(builder_.CreateICmp(how, a(), b()), yes, no);
  }

  /// Joins two values that never share a one bit.
  llvm::Value* joined(llvm::Value* high, llvm::Value* low) {
    llvm::Value* whole = builder_.CreateOr(high, low);
    if (auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(whole)) {
      either->setIsDisjoint(true);
    }
    return whole;
  }

  /// The parts of this many bits, last to first.
  llvm::Value* reversed(unsigned bits) {
    llvm::Value* whole = nullptr;
    for (unsigned low = 0; low < width(); low += bits) {
      llvm::Value* part =
          builder_.CreateTrunc(builder_.CreateLShr(a(), low), builder_.getIntNTy(bits));
      part = builder_.CreateShl(builder_.CreateZExt(part, type_), width() - bits - low);
      whole = whole ? joined(whole, part) : part;
    }
    return whole;
  }

  /// {a, b} shifted by amount % width; the other half's shift is by one more, so never undefined.
  llvm::Value* funnel() {
    const bool left = call_.getIntrinsicID() == llvm::Intrinsic::fshl;
    llvm::Value* amount = call_.getArgOperand(2);
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(amount)) {
      const auto by = static_cast<unsigned>(constant->getValue().urem(width()));
      const unsigned up = left ? by : (width() - by) % width();
      if (up == 0) return left ? a() : b();
      return joined(builder_.CreateShl(a(), up), builder_.CreateLShr(b(), width() - up));
    }
    amount = builder_.CreateAnd(amount, number(width() - 1));
    llvm::Value* rest = builder_.CreateSub(number(width() - 1), amount);
    if (left) {
      return builder_.CreateOr(builder_.CreateShl(a(), amount),
                               builder_.CreateLShr(builder_.CreateLShr(b(), number(1)), rest));
    }
    return builder_.CreateOr(builder_.CreateLShr(b(), amount),
                             builder_.CreateShl(builder_.CreateShl(a(), number(1)), rest));
  }

  llvm::Value* unsigned_sum() {
    llvm::Value* sum = builder_.CreateAdd(a(), b());
    return builder_.CreateSelect(builder_.CreateICmpULT(sum, a()),
                                 llvm::Constant::getAllOnesValue(type_), sum);
  }

  llvm::Value* signed_saturated() {
    llvm::Type* wide = builder_.getIntNTy(width() + 1);
    llvm::Value* x = builder_.CreateSExt(a(), wide);
    llvm::Value* y = builder_.CreateSExt(b(), wide);
    llvm::Value* exact = call_.getIntrinsicID() == llvm::Intrinsic::sadd_sat
                             ? builder_.CreateAdd(x, y)
                             : builder_.CreateSub(x, y);
    const auto most = llvm::APInt::getSignedMaxValue(width());
    const auto least = llvm::APInt::getSignedMinValue(width());
    llvm::Value* high = llvm::ConstantInt::get(wide, most.sext(width() + 1));
    llvm::Value* low = llvm::ConstantInt::get(wide, least.sext(width() + 1));
    llvm::Value* kept = builder_.CreateTrunc(exact, type_);
    llvm::Value* above = builder_.CreateSelect(builder_.CreateICmpSGT(exact, high),
                                               llvm::ConstantInt::get(type_, most), kept);
    return builder_.CreateSelect(builder_.CreateICmpSLT(exact, low),
                                 llvm::ConstantInt::get(type_, least), above);
  }

  llvm::Value* three_way() {
    const bool is_signed = call_.getIntrinsicID() == llvm::Intrinsic::scmp;
    llvm::Value* less =
        is_signed ? builder_.CreateICmpSLT(a(), b()) : builder_.CreateICmpULT(a(), b());
    llvm::Value* equal = builder_.CreateICmpEQ(a(), b());
    return builder_.CreateSelect(less, llvm::Constant::getAllOnesValue(type_),
                                 builder_.CreateSelect(equal, number(0), number(1)));
  }

  llvm::IntrinsicInst& call_;
  llvm::IRBuilder<> builder_;
  llvm::IntegerType* type_;
};

}  // namespace

bool must_expand(const llvm::Instruction& instruction) {
  if (divides_by_constant(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call || !call->getType()->isIntegerTy()) return false;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::bitreverse:
    case llvm::Intrinsic::bswap:
    case llvm::Intrinsic::ctpop:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::cttz:
    case llvm::Intrinsic::usub_sat:
    case llvm::Intrinsic::uadd_sat:
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::ssub_sat:
    case llvm::Intrinsic::ucmp:
    case llvm::Intrinsic::scmp:
      return true;
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
      return llvm::isa<llvm::ConstantInt>(call->getArgOperand(2)) ||
             llvm::isPowerOf2_32(width_of(*call));
    default:
      return false;
  }
}

void expand_intrinsics(llvm::Function& function) {
  expand_divisions(function);
  std::vector<llvm::IntrinsicInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (must_expand(instruction)) calls.push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
  }
  for (llvm::IntrinsicInst* call : calls) {
    llvm::Value* value = Expansion(*call).value();
    if (llvm::isa<llvm::Instruction>(value)) value->takeName(call);
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}

}  // namespace systole::compiler
