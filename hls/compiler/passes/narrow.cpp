#include "hls/compiler/passes/narrow.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/DemandedBits.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <set>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/passes/simplify.h"

namespace systole::compiler {
namespace {

namespace pattern = llvm::PatternMatch;

/// A test of one masked bit, or of the sign, is that bit.
bool test_as_bit(llvm::Instruction& instruction) {
  llvm::Value* source = nullptr;
  const llvm::APInt* mask = nullptr;
  llvm::ICmpInst::Predicate predicate = llvm::ICmpInst::ICMP_EQ;
  unsigned position = 0;
  bool inverted = false;
  if (pattern::match(&instruction, pattern::m_ICmp(predicate,
                                                   pattern::m_And(pattern::m_Value(source),
                                                                  pattern::m_Power2(mask)),
                                                   pattern::m_Zero())) &&
      llvm::ICmpInst::isEquality(predicate)) {
    position = mask->logBase2();
    inverted = predicate == llvm::ICmpInst::ICMP_EQ;
  } else if (pattern::match(&instruction,
                            pattern::m_SpecificICmp(llvm::ICmpInst::ICMP_SLT,
                                                    pattern::m_Value(source), pattern::m_Zero())) ||
             pattern::match(&instruction, pattern::m_SpecificICmp(llvm::ICmpInst::ICMP_SGT,
                                                                  pattern::m_Value(source),
                                                                  pattern::m_AllOnes()))) {
    position = width_of(*source) - 1;
    inverted = llvm::cast<llvm::ICmpInst>(instruction).getPredicate() == llvm::ICmpInst::ICMP_SGT;
  } else {
    return false;
  }
  llvm::IRBuilder<> builder(&instruction);
  llvm::Value* bit = builder.CreateTrunc(builder.CreateLShr(source, position), builder.getInt1Ty());
  if (inverted) bit = builder.CreateNot(bit);
  if (llvm::isa<llvm::Instruction>(bit)) bit->takeName(&instruction);
  instruction.replaceAllUsesWith(bit);
  instruction.eraseFromParent();
  return true;
}

/// The parts of a guarded shift, which is printed as a unit and so stays whole.
std::set<const llvm::Instruction*> guarded_shifts(llvm::Function& function) {
  std::set<const llvm::Instruction*> parts;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    GuardedShift guarded;
    if (!is_guarded_shift(instruction, guarded)) continue;
    parts.insert({&instruction, guarded.shift});
    parts.insert(llvm::cast<llvm::Instruction>(instruction.getOperand(1)));
  }
  return parts;
}

bool works_bit_by_bit(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::SelectInst>(instruction) ||
         instruction.getOpcode() == llvm::Instruction::Xor ||
         (instruction.getOpcode() == llvm::Instruction::Or &&
          !llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint()) ||
         (instruction.getOpcode() == llvm::Instruction::And &&
          !llvm::isa<llvm::Constant>(instruction.getOperand(1)));
}

bool works_upwards(const llvm::Instruction& instruction) {
  return instruction.getOpcode() == llvm::Instruction::Shl ||
         instruction.getOpcode() == llvm::Instruction::Add ||
         instruction.getOpcode() == llvm::Instruction::Sub ||
         instruction.getOpcode() == llvm::Instruction::Mul;
}

/// Rebuilds the instruction on bits [high:low] of its operands.
void keep_bits(llvm::Instruction& instruction, unsigned high, unsigned low) {
  const unsigned width = width_of(instruction);
  llvm::IRBuilder<> builder(&instruction);
  llvm::Type* type = builder.getIntNTy(high - low + 1);
  const auto cut = [&](llvm::Value* value) -> llvm::Value* {
    llvm::Value* source = nullptr;
    while (low == 0 && pattern::match(value, pattern::m_ZExt(pattern::m_Value(source))) &&
           width_of(*source) >= high + 1) {
      value = source;
    }
    if (low == 0 && pattern::match(value, pattern::m_SExt(pattern::m_Value(source)))) {
      return builder.CreateSExtOrTrunc(source, type);
    }
    return builder.CreateTrunc(low == 0 ? value : builder.CreateLShr(value, low), type);
  };
  llvm::Value* narrow = nullptr;
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    narrow = builder.CreateSelect(select->getCondition(), cut(select->getTrueValue()),
                                  cut(select->getFalseValue()));
  } else {
    // A shift's amount is below the narrowed width (see narrow), so truncating it loses nothing.
    const auto opcode = llvm::cast<llvm::BinaryOperator>(instruction).getOpcode();
    narrow =
        builder.CreateBinOp(opcode, cut(instruction.getOperand(0)), cut(instruction.getOperand(1)));
  }
  if (auto* made = llvm::dyn_cast<llvm::Instruction>(narrow)) {
    made->setDebugLoc(instruction.getDebugLoc());
  }
  // The bits keep the value's name.
  llvm::SmallVector<llvm::DbgVariableIntrinsic*> intrinsics;
  llvm::SmallVector<llvm::DbgVariableRecord*> records;
  llvm::findDbgUsers(intrinsics, &instruction, &records);
  for (llvm::DbgVariableRecord* record : records) {
    record->replaceVariableLocationOp(&instruction, narrow);
  }
  llvm::Value* wide = builder.CreateZExt(narrow, builder.getIntNTy(width));
  if (low > 0) wide = builder.CreateShl(wide, low);
  instruction.replaceAllUsesWith(wide);
}

/// Wires that bring none but zeros, once what they come from has fewer bits.
void settle_zeros(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.use_empty() || !is_wiring(instruction)) continue;
    if (!possible_ones(instruction, layout).isZero()) continue;
    instruction.replaceAllUsesWith(llvm::ConstantInt::get(instruction.getType(), 0));
  }
}

}  // namespace

void narrow(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    test_as_bit(instruction);
  }
  for (int round = 0; round < 4; ++round) {
    llvm::AssumptionCache assumptions(function);
    llvm::DominatorTree dominators(function);
    llvm::DemandedBits demanded(function, assumptions, dominators);
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    struct Cut {
      llvm::Instruction* instruction;
      unsigned high, low;
    };
    std::vector<Cut> cuts;
    const std::set<const llvm::Instruction*> whole = guarded_shifts(function);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const bool bitwise = works_bit_by_bit(instruction);
      if (!instruction.getType()->isIntegerTy() || instruction.use_empty() ||
          whole.count(&instruction) != 0 || !(bitwise || works_upwards(instruction))) {
        continue;
      }
      const unsigned width = width_of(instruction);
      llvm::APInt used = demanded.getDemandedBits(&instruction);
      if (bitwise) used &= ~llvm::computeKnownBits(&instruction, layout).Zero;
      if (used.isZero()) continue;
      unsigned high = used.getActiveBits() - 1;
      if (instruction.getOpcode() == llvm::Instruction::Shl) {
        // Every amount that can occur must still be below the width, or the shift is undefined.
        const llvm::APInt most =
            llvm::computeKnownBits(instruction.getOperand(1), layout).getMaxValue();
        if (most.uge(width)) continue;
        high = std::max(high, static_cast<unsigned>(most.getZExtValue()));
      }
      const unsigned low = bitwise ? used.countr_zero() : 0;
      if (high - low + 1 < width) cuts.push_back({&instruction, high, low});
    }
    if (cuts.empty()) return;
    for (const Cut& cut : cuts) keep_bits(*cut.instruction, cut.high, cut.low);
    settle_zeros(function);
    clean_up(function);
  }
}

}  // namespace systole::compiler
