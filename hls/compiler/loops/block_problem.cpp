#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <set>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/block_schedule.h"
#include "hls/compiler/loops/sums_of_products.h"
#include "hls/compiler/loops/units.h"

namespace systole::compiler {

bool is_wire(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::CastInst>(instruction)) return true;
  const bool picks = instruction.isShift() || instruction.getOpcode() == llvm::Instruction::And;
  return picks && llvm::isa<llvm::ConstantInt>(instruction.getOperand(1));
}

namespace {

/// Whether a word goes from an iteration to a later one through a memory.
bool is_passed(const Dependence& order) {
  return order.distance > 0 && is_operation(*order.from, Operation::kMemoryWrite) &&
         is_operation(*order.to, Operation::kMemoryRead);
}

}  // namespace

BlockProblem::BlockProblem(const llvm::BasicBlock& block, const llvm::Loop* loop,
                           std::vector<Dependence> orders, const LoweredKernel& kernel,
                           const DelayModel& model, double clock_ns)
    : block_(block), loop_(loop), orders_(std::move(orders)), kernel_(kernel), model_(model) {
  constexpr int kTablesOfAChoice = 2;  // in front of a register that several clocks write
  logic_ns_ = clock_ns - model.register_ns - kTablesOfAChoice * model.lut_ns;
  passing_ = orders_;
  for (Dependence& order : passing_) {
    if (is_passed(order)) order.latency = 0;
  }
  for (const llvm::Instruction& instruction : block) {
    if (!is_operation(instruction)) continue;
    operations_.push_back(&instruction);
    if (const auto resource = resource_of(instruction)) ++uses_[*resource];
  }
}

bool BlockProblem::is_operation(const llvm::Instruction& instruction) {
  return !instruction.isTerminator() && !llvm::isa<llvm::PHINode>(instruction) &&
         !is_wire(instruction) && !llvm::isa<llvm::DbgInfoIntrinsic>(instruction) &&
         !compiler::is_operation(instruction, Operation::kReadPort);
}

std::vector<const llvm::Instruction*> BlockProblem::sources(const llvm::Value& operand) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&operand);
  if (!instruction || instruction->getParent() != &block_) return {};
  if (is_wire(*instruction)) return sources(*instruction->getOperand(0));
  if (!is_operation(*instruction)) return {};
  return {instruction};
}

std::vector<const llvm::PHINode*> BlockProblem::choices(const llvm::Value& operand) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&operand);
  if (!instruction) return {};
  if (is_wire(*instruction)) return choices(*instruction->getOperand(0));
  const auto* choice = llvm::dyn_cast<llvm::PHINode>(instruction);
  if (!choice || choice->getParent() != &block_) return {};
  return {choice};
}

std::optional<Resource> BlockProblem::resource_of(const llvm::Instruction& operation) {
  if (compiler::is_operation(operation, Operation::kMemoryRead)) {
    return Resource{Resource::Kind::kReadPort, leaf_of(operation)};
  }
  if (compiler::is_operation(operation, Operation::kMemoryWrite)) {
    return Resource{Resource::Kind::kWritePort, leaf_of(operation)};
  }
  if (compiler::is_operation(operation, {Operation::kStreamPop, Operation::kStreamPush})) {
    return Resource{Resource::Kind::kStream, leaf_of(operation)};
  }
  if (compiler::is_operation(operation, Operation::kUnit)) {
    return Resource{Resource::Kind::kUnit, leaf_of(operation)};
  }
  return std::nullopt;
}

const KernelUnit& BlockProblem::unit(const llvm::Instruction& call) const {
  return kernel_.units[static_cast<std::size_t>(leaf_of(call))];
}

int BlockProblem::units(int number, int interval) const {
  const int uses = uses_.at({Resource::Kind::kUnit, number});
  const bool shares = interval == 0 || kernel_.units[static_cast<std::size_t>(number)].is_iterative;
  return shares ? 1 : (uses + interval - 1) / interval;
}

int BlockProblem::ready(const llvm::Instruction& operation, const BlockSchedule& schedule) {
  return schedule.start.at(&operation) + latency_of(operation);
}

bool BlockProblem::may_be_passed_to(const llvm::Instruction& read) const {
  return passes_words_ && std::ranges::any_of(orders_, [&](const Dependence& order) {
           return order.to == &read && is_passed(order);
         });
}

const llvm::Instruction* BlockProblem::passed_to(const llvm::Instruction& read,
                                                 const BlockSchedule& schedule) const {
  const auto meets = [&](const Dependence& order) {
    return order.to == &read && is_passed(order) &&
           schedule.start.at(order.from) ==
               schedule.start.at(&read) + order.distance * schedule.interval;
  };
  const auto found = schedule.overlaps() ? std::ranges::find_if(orders(), meets) : orders().end();
  return found == orders().end() ? nullptr : found->from;
}

int BlockProblem::ready_for_others(const llvm::Instruction& operation,
                                   const BlockSchedule& schedule) const {
  const bool accumulates = schedule.overlaps() && adds_product(operation) &&
                           std::ranges::any_of(block_.phis(), [&](const llvm::PHINode& sum) {
                             return sum.getIncomingValueForBlock(&block_) == &operation;
                           });
  return ready(operation, schedule) + (accumulates ? 1 : 0);
}

bool BlockProblem::forwards(const llvm::PHINode& choice) const {
  const auto from = sources(*choice.getIncomingValueForBlock(&block_));
  return !from.empty() && compiler::is_operation(*from.front(), Operation::kUnit);
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

LeastInterval BlockProblem::least_by_resources() const {
  LeastInterval least;
  for (const auto& [resource, count] : uses_) {
    const auto number = static_cast<std::size_t>(resource.number);
    if (resource.kind == Resource::Kind::kStream) {
      if (count <= least.clocks) continue;
      least = {count, fmt::format("{} elements in an iteration share the stream '{}'", count,
                                  kernel_.streams[number].element.name)};
    } else if (resource.kind != Resource::Kind::kUnit) {
      if (count <= least.clocks) continue;
      least = {count, fmt::format("{} accesses in an iteration share one port of '{}'", count,
                                  kernel_.memories[number].word.name)};
    } else if (const KernelUnit& unit = kernel_.units[number];
               unit.is_iterative && count * unit.occupancy() > least.clocks) {
      least = {count * unit.occupancy(),
               fmt::format("{} call{} of '{}' share one unit of {} clocks", count,
                           count == 1 ? "" : "s", unit.name, unit.occupancy())};
    }
  }
  return least;
}

}  // namespace systole::compiler
