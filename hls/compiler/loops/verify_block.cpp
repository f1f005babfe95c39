#include <fmt/format.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>

#include <set>
#include <stdexcept>
#include <utility>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/block_schedule.h"

namespace systole::compiler {
namespace {

void require(bool holds, const llvm::Instruction& at, const char* rule) {
  if (holds) return;
  throw std::logic_error(
      fmt::format("the schedule of a loop breaks a rule: {} ('{}')", rule, at.getName().str()));
}

}  // namespace

void verify(const BlockProblem& problem, const BlockSchedule& schedule) {
  std::set<std::pair<Port, int>> used;
  for (const llvm::Instruction* operation : problem.operations()) {
    const int start = schedule.start.at(operation);
    require(start >= 0, *operation, "nothing starts before its iteration");
    require(BlockProblem::ready(*operation, schedule) < schedule.length, *operation,
            "everything ends within its iteration");
    for (const llvm::Value* operand : operation->operands()) {
      for (const llvm::Instruction* from : problem.sources(*operand)) {
        require(BlockProblem::ready(*from, schedule) <= start, *operation,
                "operands come before their use");
      }
      if (!schedule.overlaps()) continue;
      for (const llvm::PHINode* choice : problem.choices(*operand)) {
        require(problem.next_known(*choice, schedule) < start + schedule.interval, *operation,
                "a value of the iteration before is in its register");
      }
    }
    const auto port = port_of(*operation);
    if (!port) continue;
    const int slot = schedule.overlaps() ? start % schedule.interval : start;
    require(used.insert({*port, slot}).second, *operation, "a port has one access in a clock");
  }
  for (const Dependence& order : problem.orders()) {
    if (!schedule.overlaps() && order.distance != 0) continue;
    require(schedule.start.at(order.to) + order.distance * schedule.interval >=
                schedule.start.at(order.from) + order.latency,
            *order.to, "accesses of one memory, and of streams, keep their order");
  }
  if (!schedule.overlaps()) return;
  const auto* end = llvm::cast<llvm::BranchInst>(problem.block().getTerminator());
  for (const llvm::Instruction* source : problem.sources(*end->getCondition())) {
    require(BlockProblem::ready(*source, schedule) < schedule.interval, *source,
            "the end is known before the next iteration");
  }
}

}  // namespace systole::compiler
