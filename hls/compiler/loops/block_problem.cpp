#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <set>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/block_schedule.h"

namespace systole::compiler {

std::optional<Port> port_of(const llvm::Instruction& operation) {
  const bool reads = is_operation(operation, Operation::kMemoryRead);
  if (reads || is_operation(operation, Operation::kMemoryWrite)) {
    return Port{reads ? Port::kRead : Port::kWrite, leaf_of(operation)};
  }
  if (is_operation(operation, {Operation::kStreamPop, Operation::kStreamPush})) {
    return Port{Port::kStream, leaf_of(operation)};
  }
  return std::nullopt;
}

BlockProblem::BlockProblem(const llvm::BasicBlock& block, const llvm::Loop* loop,
                           std::vector<Dependence> orders, const PortNames& names,
                           const DelayModel& model, double clock_ns)
    : block_(block), loop_(loop), orders_(std::move(orders)), names_(names), model_(model) {
  constexpr int kTablesOfAChoice = 2;  // in front of a register that several clocks write
  logic_ns_ = clock_ns - model.register_ns - kTablesOfAChoice * model.lut_ns;
  for (const llvm::Instruction& instruction : block) {
    if (is_operation(instruction)) operations_.push_back(&instruction);
  }
}

bool BlockProblem::is_operation(const llvm::Instruction& instruction) {
  return !instruction.isTerminator() && !llvm::isa<llvm::PHINode, llvm::CastInst>(instruction) &&
         !llvm::isa<llvm::DbgInfoIntrinsic>(instruction) &&
         !compiler::is_operation(instruction, Operation::kReadPort);
}

std::vector<const llvm::Instruction*> BlockProblem::sources(const llvm::Value& operand) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&operand);
  if (!instruction || instruction->getParent() != &block_) return {};
  if (llvm::isa<llvm::CastInst>(instruction)) return sources(*instruction->getOperand(0));
  if (!is_operation(*instruction)) return {};
  return {instruction};
}

std::vector<const llvm::PHINode*> BlockProblem::choices(const llvm::Value& operand) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&operand);
  if (!instruction) return {};
  if (llvm::isa<llvm::CastInst>(instruction)) return choices(*instruction->getOperand(0));
  const auto* choice = llvm::dyn_cast<llvm::PHINode>(instruction);
  if (!choice || choice->getParent() != &block_) return {};
  return {choice};
}

int BlockProblem::ready(const llvm::Instruction& operation, const BlockSchedule& schedule) {
  const int start = schedule.start.at(&operation);
  return compiler::is_operation(operation, Operation::kMemoryRead) ? start + 1 : start;
}

int BlockProblem::next_known(const llvm::PHINode& choice, const BlockSchedule& schedule) const {
  std::set<const llvm::PHINode*> seen;
  const llvm::PHINode* at = &choice;
  while (seen.insert(at).second) {
    const llvm::Value& next = *at->getIncomingValueForBlock(&block_);
    const auto from = sources(next);
    if (!from.empty()) return ready(*from.front(), schedule);
    const auto through = choices(next);
    if (through.empty()) return 0;  // the same in every iteration
    at = through.front();
  }
  return 0;
}

std::pair<int, std::optional<Port>> BlockProblem::least_by_ports() const {
  std::map<Port, int> uses;
  for (const llvm::Instruction* operation : operations_) {
    if (const auto port = port_of(*operation)) ++uses[*port];
  }
  std::pair<int, std::optional<Port>> least = {1, std::nullopt};
  for (const auto& [port, count] : uses) {
    if (count > least.first) least = {count, port};
  }
  return least;
}

}  // namespace systole::compiler
