#include "hls/compiler/loops/merge_counters.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/address_trace.h"
#include "hls/compiler/loops/block_schedule.h"
#include "hls/compiler/loops/kernel_analyses.h"

namespace systole::compiler {
namespace {

using llvm::APInt;
using llvm::Instruction;
using llvm::PHINode;
using llvm::Value;

/// What a value is in each iteration.
struct Course {
  Instruction* value = nullptr;
  bool is_known = true;
  std::vector<APInt> at = {};
};

class Counters {
 public:
  explicit Counters(const llvm::Loop& loop) : loop_(loop), block_(*loop.getHeader()) {
    for (PHINode& choice : block_.phis()) {
      if (choice.getType()->isIntegerTy()) choices_.push_back({.value = &choice});
    }
    for (Instruction& instruction : block_) {
      if (is_operation(instruction, {Operation::kMemoryRead, Operation::kMemoryWrite})) {
        add_address(*instruction.getOperand(1));
      }
    }
    is_known_ = trace();
  }

  void run() {
    if (!is_known_) return;
    for (Course& one : choices_) {
      for (const Course& other : choices_) {
        if (!other.value) continue;
        // The narrowest one stays, and of those the first.
        const unsigned bits = width_of(*one.value);
        const unsigned others = width_of(*other.value);
        if (others > bits || (others == bits && &other >= &one)) continue;
        if (const auto shift = shift_between(other, one)) {
          replace(one, other, *shift);
          break;
        }
      }
    }
    for (const Course& address : addresses_) count(address);
  }

 private:
  /// The arithmetic behind an address.
  void add_address(Value& address) {
    auto* instruction = llvm::dyn_cast<Instruction>(&address);
    if (!instruction || instruction->getParent() != &block_) return;
    if (is_wire(*instruction)) return add_address(*instruction->getOperand(0));
    const unsigned opcode = instruction->getOpcode();
    const bool is_arithmetic =
        opcode == Instruction::Add || opcode == Instruction::Sub || opcode == Instruction::Mul;
    const bool is_known = std::ranges::any_of(
        addresses_, [&](const Course& one) { return one.value == instruction; });
    if (is_arithmetic && !is_known && !is_one_step(*instruction)) {
      addresses_.push_back({.value = instruction});
    }
  }

  /// A counter and a constant: no more than a counter of its own would take.
  static bool is_one_step(const Instruction& sum) {
    if (sum.getOpcode() == Instruction::Mul || !llvm::isa<llvm::Constant>(sum.getOperand(1))) {
      return false;
    }
    const Value* counter = sum.getOperand(0);
    while (const auto* wire = llvm::dyn_cast<Instruction>(counter)) {
      if (!is_wire(*wire)) break;
      counter = wire->getOperand(0);
    }
    return llvm::isa<PHINode>(counter);
  }

  bool trace() {
    std::vector<const Value*> values;
    std::vector<Course*> courses;
    for (auto* list : {&choices_, &addresses_}) {
      for (Course& one : *list) {
        values.push_back(one.value);
        courses.push_back(&one);
      }
    }
    const auto visit = [&](const std::vector<std::optional<APInt>>& now, bool goes_on) {
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i] && courses[i]->is_known) courses[i]->at.push_back(*now[i]);
        courses[i]->is_known = courses[i]->is_known && now[i];
      }
      ++iterations_;
      if (!goes_on) ends_.push_back(iterations_);
    };
    const auto again = [&] {
      for (Course* one : courses) *one = {.value = one->value};
      iterations_ = 0;
      ends_.clear();
    };
    return trace_values(loop_, values, visit, again);
  }

  /// The bits by which the narrower one is moved up to be the wider one, always.
  static std::optional<unsigned> shift_between(const Course& narrow, const Course& wide) {
    if (!narrow.is_known || !wide.is_known) return std::nullopt;
    const unsigned bits = width_of(*wide.value);
    const auto first =
        std::ranges::find_if(narrow.at, [](const APInt& one) { return !one.isZero(); });
    if (first == narrow.at.end()) return std::nullopt;
    const APInt& other = wide.at[static_cast<std::size_t>(first - narrow.at.begin())];
    if (other.isZero() || other.countr_zero() < first->countr_zero()) return std::nullopt;
    const unsigned shift = other.countr_zero() - first->countr_zero();
    for (std::size_t i = 0; i < narrow.at.size(); ++i) {
      if (narrow.at[i].zext(bits).shl(shift) != wide.at[i]) return std::nullopt;
    }
    return shift;
  }

  void replace(Course& gone, const Course& stays, unsigned shift) {
    llvm::IRBuilder<> builder(&*block_.getFirstInsertionPt());
    builder.SetCurrentDebugLocation(gone.value->getDebugLoc());
    Value* same = builder.CreateZExt(stays.value, gone.value->getType());
    if (shift > 0) same = builder.CreateShl(same, shift);
    gone.value->replaceAllUsesWith(same);
    gone.value->eraseFromParent();
    gone = {};
  }

  /// A counter of its own for an address that every run of the loop begins at the same place, and
  /// that goes up or down by the same step.
  void count(const Course& address) {
    if (!address.is_known || address.at.size() < 2 || ends_.front() < 2) return;
    const APInt step = address.at[1] - address.at[0];
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      if (address.at[begin] != address.at[0]) return;
      for (std::size_t i = begin + 1; i < end; ++i) {
        if (address.at[i] - address.at[i - 1] != step) return;
      }
      begin = end;
    }
    llvm::Type* type = address.value->getType();
    auto* counter = PHINode::Create(type, 2, "at", block_.begin());
    counter->setDebugLoc(address.value->getDebugLoc());
    llvm::IRBuilder<> builder(block_.getTerminator());
    builder.SetCurrentDebugLocation(address.value->getDebugLoc());
    Value* next = builder.CreateAdd(counter, llvm::ConstantInt::get(type, step));
    counter->addIncoming(llvm::ConstantInt::get(type, address.at[0]), loop_.getLoopPredecessor());
    counter->addIncoming(next, &block_);
    address.value->replaceAllUsesWith(counter);
  }

  const llvm::Loop& loop_;
  llvm::BasicBlock& block_;
  std::vector<Course> choices_;
  std::vector<Course> addresses_;
  std::size_t iterations_ = 0;
  std::vector<std::size_t> ends_;  ///< iterations before the end of each run
  bool is_known_ = false;
};

}  // namespace

void merge_counters(llvm::Function& function) {
  KernelAnalyses analyses(function);
  for (const llvm::Loop* loop : analyses.loops().getLoopsInPreorder()) {
    if (loop->getNumBlocks() == 1 && loop->getLoopPredecessor()) Counters(*loop).run();
  }
}

}  // namespace systole::compiler
