#include <fmt/format.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>

#include <set>
#include <stdexcept>
#include <tuple>

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
  std::set<std::tuple<Resource, int, int>> used;  // an instance of it, and the clock
  for (const llvm::Instruction* operation : problem.operations()) {
    const int start = schedule.start.at(operation);
    require(start >= 0, *operation, "nothing starts before its iteration");
    require(BlockProblem::ready(*operation, schedule) < schedule.length, *operation,
            "everything ends within its iteration");
    for (const llvm::Value* operand : operation->operands()) {
      for (const llvm::Instruction* from : problem.sources(*operand)) {
        require(problem.ready_for_others(*from, schedule) <= start, *operation,
                "operands come before their use");
      }
      if (!schedule.overlaps()) continue;
      for (const llvm::PHINode* choice : problem.choices(*operand)) {
        const int known = problem.next_known(*choice, schedule);
        const int needed = start + schedule.interval;
        require(known < needed || (known == needed && problem.forwards(*choice)), *operation,
                "a value of the iteration before is in its register or leaves its unit");
      }
    }
    const auto resource = BlockProblem::resource_of(*operation);
    if (!resource) continue;
    const bool is_unit = resource->kind == Resource::Kind::kUnit;
    const int instance = is_unit ? schedule.instance.at(operation) : 0;
    const int occupancy = is_unit ? problem.unit(*operation).occupancy() : 1;
    for (int i = 0; i < occupancy; ++i) {
      const int slot = schedule.overlaps() ? (start + i) % schedule.interval : start + i;
      require(used.insert({*resource, instance, slot}).second, *operation,
              "a port has one access, and a unit one call, in a clock");
    }
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
