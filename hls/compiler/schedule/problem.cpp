#include "hls/compiler/schedule/problem.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/ir/operations.h"

namespace systole::compiler {

Problem::Problem(llvm::Function& function, const DelayModel& model) : model_(model) {
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    if (instruction.isTerminator() || llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) continue;
    operations_.push_back(&instruction);
  }
}

bool Problem::is_argument(const llvm::Instruction& operation) {
  return is_operation(operation, Operation::kReadPort);
}

bool Problem::is_result(const llvm::Instruction& operation) {
  return is_operation(operation, Operation::kWritePort);
}

StageLogic Problem::logic(const StageOf& stage_of) const {
  StageLogic logic(model_);
  for (const llvm::Instruction* operation : operations_) {
    logic.add(*operation, stage_of.at(operation));
  }
  return logic;
}

double Problem::alone_ns(const llvm::Instruction& operation) const {
  StageLogic logic(model_);
  for (const llvm::Value* operand : operation.operands()) {
    if (const auto* source = llvm::dyn_cast<llvm::Instruction>(operand)) logic.add(*source, 0);
  }
  return logic.add(operation, 1);
}

Problem::Attempt Problem::as_soon_as_possible(double period_ns) const {
  constexpr double kSlack = 1e-9;
  StageLogic logic(model_);
  Attempt attempt;
  attempt.stages = 1;
  for (const llvm::Instruction* operation : operations_) {
    int stage = 0;
    for (const llvm::Value* operand : operation->operands()) {
      if (const auto* source = llvm::dyn_cast<llvm::Instruction>(operand)) {
        stage = std::max(stage, attempt.stage_of.at(source));
      }
    }
    double done = logic.add(*operation, stage);
    if (done > period_ns + kSlack) done = logic.add(*operation, ++stage);
    if (done > period_ns + kSlack) {
      attempt.stages = 0;
      return attempt;
    }
    attempt.stage_of[operation] = stage;
    attempt.stages = std::max(attempt.stages, stage + 1);
    attempt.slowest_ns = std::max(attempt.slowest_ns, done);
  }
  return attempt;
}

int register_bits(const Problem& problem, const StageOf& stage_of) {
  int bits = 0;
  for (const llvm::Instruction* operation : problem.operations()) {
    if (!operation->getType()->isIntegerTy()) continue;
    const int stage = stage_of.at(operation);
    int last = stage;
    for (const llvm::User* user : operation->users()) {
      const auto found = stage_of.find(llvm::dyn_cast<llvm::Instruction>(user));
      if (found != stage_of.end()) last = std::max(last, found->second);
    }
    bits += (last - stage) * static_cast<int>(width_of(*operation));
  }
  return bits;
}

}  // namespace systole::compiler
