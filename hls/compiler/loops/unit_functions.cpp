#include "hls/compiler/loops/unit_functions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "hls/compiler/ir/operations.h"

namespace systole::compiler {
namespace {

using llvm::Value;

/// A function in the making: its arguments are read and its results written in one block.
class Body {
 public:
  Body(llvm::Module& into, const KernelUnit& unit, const std::vector<std::string>& names)
      : builder(into.getContext()) {
    lowered_.name = unit.name;
    auto* type = llvm::FunctionType::get(builder.getVoidTy(), false);
    lowered_.body =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, unit.name, into);
    builder.SetInsertPoint(llvm::BasicBlock::Create(into.getContext(), "entry", lowered_.body));
    for (std::size_t i = 0; i < names.size(); ++i) {
      Leaf leaf;
      leaf.name = names[i];
      leaf.width = unit.argument_bits[i];
      lowered_.arguments.push_back(leaf);
      arguments.push_back(
          emit_operation(builder, Operation::kReadPort, builder.getIntNTy(leaf.width),
                         {builder.getInt32(static_cast<unsigned>(i)), builder.getInt32(0)}));
      arguments.back()->setName(leaf.name);
    }
    lowered_.result = unit.result;
  }
  void result(unsigned field, Value* value) {
    emit_operation(builder, Operation::kWritePort, nullptr,
                   {builder.getInt32(field), builder.getInt32(0), value});
  }
  LoweredFunction take() {
    builder.CreateRetVoid();
    return lowered_;
  }

  llvm::IRBuilder<> builder;
  std::vector<Value*> arguments;

 private:
  LoweredFunction lowered_;
};

unsigned width(const Value& value) { return value.getType()->getIntegerBitWidth(); }

/// Bits of an operand from `low` on, signed where they are its highest and it is.
struct Part {
  Value* bits = nullptr;
  bool is_signed = false;
  unsigned low = 0;
};

std::vector<Part> parts_of(Body& body, Value* operand, bool is_signed, unsigned multiplier_bits) {
  const unsigned unsigned_bits = multiplier_bits - 1;
  const unsigned whole = width(*operand);
  std::vector<Part> parts;
  for (unsigned low = 0; low < whole;) {
    const unsigned left = whole - low;
    const bool last = left <= (is_signed ? multiplier_bits : unsigned_bits);
    const unsigned bits = last ? left : unsigned_bits;
    Value* shifted = low == 0 ? operand : body.builder.CreateLShr(operand, low);
    parts.push_back(
        {body.builder.CreateTrunc(shifted, body.builder.getIntNTy(bits)), last && is_signed, low});
    low += bits;
  }
  return parts;
}

}  // namespace

LoweredFunction division_function(llvm::Module& into, const KernelUnit& unit) {
  Body body(into, unit, {"dividend", "divisor"});
  llvm::IRBuilder<>& builder = body.builder;
  Value* dividend = body.arguments[0];
  Value* divisor = body.arguments[1];
  Value* remainder = nullptr;
  Value* quotient = nullptr;
  for (unsigned at = width(*dividend); at-- > 0;) {
    Value* bit = builder.CreateTrunc(at == 0 ? dividend : builder.CreateLShr(dividend, at),
                                     builder.getInt1Ty());
    Value* shifted = bit;
    if (remainder) {
      llvm::Type* type = builder.getIntNTy(width(*remainder) + 1);
      shifted = builder.CreateOr(builder.CreateShl(builder.CreateZExt(remainder, type), 1),
                                 builder.CreateZExt(bit, type));
    }
    llvm::Type* wide = builder.getIntNTy(std::max(width(*shifted), width(*divisor)) + 1);
    Value* difference =
        builder.CreateSub(builder.CreateZExt(shifted, wide), builder.CreateZExt(divisor, wide));
    Value* fits = builder.CreateICmpSGE(difference, llvm::ConstantInt::get(wide, 0), "fits");
    llvm::Type* kept = builder.getIntNTy(std::min(width(*shifted), unit.result[1].width));
    remainder = builder.CreateSelect(fits, builder.CreateTrunc(difference, kept),
                                     builder.CreateTrunc(shifted, kept), "remainder");
    if (!quotient) {
      quotient = fits;
      continue;
    }
    llvm::Type* type = builder.getIntNTy(width(*quotient) + 1);
    quotient = builder.CreateOr(builder.CreateShl(builder.CreateZExt(quotient, type), 1),
                                builder.CreateZExt(fits, type), "quotient");
  }
  body.result(0, quotient);
  if (unit.reads_remainder) body.result(1, remainder);
  return body.take();
}

LoweredFunction product_function(llvm::Module& into, const KernelUnit& unit,
                                 const DelayModel& model) {
  Body body(into, unit, {"left", "right"});
  llvm::IRBuilder<>& builder = body.builder;
  const bool left_is_wider = unit.argument_bits[0] >= unit.argument_bits[1];
  const auto bits = [&](bool wider) {
    return static_cast<unsigned>(wider ? model.multiplier_a_bits : model.multiplier_b_bits);
  };
  const auto left = parts_of(body, body.arguments[0], unit.is_signed[0], bits(left_is_wider));
  const auto right = parts_of(body, body.arguments[1], unit.is_signed[1], bits(!left_is_wider));
  llvm::Type* type = builder.getIntNTy(unit.result_bits);
  const auto extended = [&](const Part& part, llvm::Type* to) {
    return part.is_signed ? builder.CreateSExtOrTrunc(part.bits, to)
                          : builder.CreateZExtOrTrunc(part.bits, to);
  };
  std::vector<Value*> terms;
  for (const Part& a : left) {
    for (const Part& b : right) {
      if (a.low + b.low >= unit.result_bits) continue;
      llvm::Type* exact = builder.getIntNTy(width(*a.bits) + width(*b.bits));
      const bool is_signed = a.is_signed || b.is_signed;
      Value* product = builder.CreateMul(extended(a, exact), extended(b, exact), "part");
      terms.push_back(builder.CreateShl(extended({product, is_signed, 0}, type), a.low + b.low));
    }
  }
  while (terms.size() > 1) {
    std::vector<Value*> sums;
    for (std::size_t i = 0; i + 1 < terms.size(); i += 2) {
      sums.push_back(builder.CreateAdd(terms[i], terms[i + 1], "sum"));
    }
    if (terms.size() % 2 == 1) sums.push_back(terms.back());
    terms = std::move(sums);
  }
  body.result(0, terms[0]);
  return body.take();
}

}  // namespace systole::compiler
