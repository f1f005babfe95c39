#include "hls/compiler/passes/factor_products.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "hls/compiler/analyses/wiring.h"

namespace systole::compiler {
namespace {

using namespace llvm::PatternMatch;  // NOLINT: its matchers read as words
using llvm::Value;

/// A term of a sum: value x factor, where the factor may be 1.
struct Term {
  Value* whole;
  Value* value;
  llvm::APInt factor;
};

Term term_of(Value& whole) {
  const unsigned width = width_of(whole);
  Value* value = nullptr;
  const llvm::APInt* number = nullptr;
  if (match(&whole, m_OneUse(m_Mul(m_Value(value), m_APInt(number))))) {
    return {&whole, value, *number};
  }
  if (match(&whole, m_OneUse(m_Shl(m_Value(value), m_APInt(number)))) && number->ult(width)) {
    return {&whole, value,
            llvm::APInt::getOneBitSet(width, static_cast<unsigned>(number->getZExtValue()))};
  }
  return {&whole, &whole, llvm::APInt(width, 1)};
}

/// The terms of a tree of additions whose inner sums have no other use, from left to right.
void collect(Value& sum, std::vector<Term>& terms) {
  Value *left = nullptr, *right = nullptr;
  if (match(&sum, m_Add(m_Value(left), m_Value(right)))) {
    for (Value* operand : {left, right}) {
      if (operand->hasOneUse() && match(operand, m_Add(m_Value(), m_Value()))) {
        collect(*operand, terms);
      } else {
        terms.push_back(term_of(*operand));
      }
    }
  }
}

/// The same number in fewer bits, if it is an extension.
struct Bits {
  Value* value;
  bool is_signed;
};

std::optional<Bits> few_bits(Value& value) {
  if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(&value)) {
    return Bits{extension->getOperand(0), true};
  }
  if (auto* extension = llvm::dyn_cast<llvm::ZExtInst>(&value)) {
    return Bits{extension->getOperand(0), false};
  }
  return std::nullopt;
}

/// left + right in their common type, computed on one bit more than they need.
Value* add_narrow(llvm::IRBuilder<>& builder, Value& left, Value& right) {
  const std::optional<Bits> a = few_bits(left), b = few_bits(right);
  if (!a || !b || a->is_signed != b->is_signed) return builder.CreateAdd(&left, &right);
  const unsigned width = std::max(width_of(*a->value), width_of(*b->value)) + 1;
  if (width >= width_of(left)) return builder.CreateAdd(&left, &right);
  llvm::Type* type = builder.getIntNTy(width);
  const auto extended = [&](Value* value, llvm::Type* to) {
    return a->is_signed ? builder.CreateSExt(value, to) : builder.CreateZExt(value, to);
  };
  return extended(builder.CreateAdd(extended(a->value, type), extended(b->value, type)),
                  left.getType());
}

/// Joins every later term of the same factor into the first; whether there was one.
bool join(std::vector<Term>& terms, llvm::IRBuilder<>& builder) {
  bool changed = false;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].whole == terms[i].value) continue;
    bool joined = false;
    for (std::size_t j = i + 1; j < terms.size();) {
      if (terms[j].whole == terms[j].value || terms[j].factor != terms[i].factor) {
        ++j;
        continue;
      }
      terms[i].value = add_narrow(builder, *terms[i].value, *terms[j].value);
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
      joined = true;
    }
    if (!joined) continue;
    const llvm::APInt& factor = terms[i].factor;
    terms[i].whole = factor.isPowerOf2()
                         ? builder.CreateShl(terms[i].value, factor.logBase2())
                         : builder.CreateMul(terms[i].value, builder.getInt(factor));
    changed = true;
  }
  return changed;
}

bool is_inner(const llvm::Instruction& sum) {
  return sum.hasOneUse() && match(sum.user_back(), m_Add(m_Value(), m_Value()));
}

}  // namespace

void factor_products(llvm::Function& function) {
  std::vector<llvm::Instruction*> sums;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (match(&instruction, m_Add(m_Value(), m_Value())) && !is_inner(instruction)) {
      sums.push_back(&instruction);
    }
  }
  for (llvm::Instruction* sum : sums) {
    std::vector<Term> terms;
    collect(*sum, terms);
    llvm::IRBuilder<> builder(sum);
    if (!join(terms, builder)) continue;
    Value* total = terms.front().whole;
    for (const Term& term : llvm::ArrayRef(terms).drop_front()) {
      total = builder.CreateAdd(total, term.whole);
    }
    total->takeName(sum);
    sum->replaceAllUsesWith(total);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(sum);
  }
}

}  // namespace systole::compiler
