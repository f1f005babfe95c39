#include "hls/compiler/schedule/stages.h"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/schedule/problem.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// Cuts closer than this count as equally fast; synthesis is less exact.
constexpr double kResolutionNs = 0.01;

/// The last stage in which the value is needed.
int last_use(const llvm::Value& value, const StageOf& stage_of) {
  int last = -1;
  for (const llvm::User* user : value.users()) {
    const auto found = stage_of.find(llvm::dyn_cast<llvm::Instruction>(user));
    if (found != stage_of.end()) last = std::max(last, found->second);
  }
  return last;
}

double slowest_alone(const Problem& problem, const llvm::Instruction*& slowest) {
  double most = 0;
  for (const llvm::Instruction* operation : problem.operations()) {
    const double alone = problem.alone_ns(*operation);
    if (!slowest || alone > most) slowest = operation;
    most = std::max(most, alone);
  }
  return most;
}

void fill_registers(const Problem& problem, Schedule& schedule) {
  schedule.registers.assign(schedule.stages - 1, {});
  for (llvm::Instruction* operation : problem.operations()) {
    if (!operation->getType()->isIntegerTy()) continue;
    const int last = last_use(*operation, schedule.stage_of);
    for (int stage = schedule.stage_of.at(operation); stage < last; ++stage) {
      schedule.registers[stage].push_back(operation);
    }
  }
}

bool is_widening(const llvm::Instruction& operation) {
  return operation.getOpcode() == llvm::Instruction::ZExt ||
         operation.getOpcode() == llvm::Instruction::SExt;
}

/// Duplicates a widening for each user, so that each can follow the narrow value's registers.
void split_widenings(llvm::Function& function) {
  std::vector<llvm::Instruction*> widenings;
  for (llvm::Instruction& operation : function.getEntryBlock()) {
    if (is_widening(operation) && operation.hasNUsesOrMore(2)) widenings.push_back(&operation);
  }
  for (llvm::Instruction* operation : widenings) {
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : operation->uses()) uses.push_back(&use);
    for (std::size_t i = 1; i < uses.size(); ++i) {
      llvm::Instruction* copy = operation->clone();
      copy->insertAfter(operation);
      uses[i]->set(copy);
    }
  }
}

/// Merges equal widenings in one stage again into the first, which has the source's name.
void join_widenings(llvm::Function& function, StageOf& stage_of) {
  std::map<std::tuple<llvm::Value*, unsigned, llvm::Type*, int>, llvm::Instruction*> first;
  for (auto at = function.getEntryBlock().begin(); at != function.getEntryBlock().end();) {
    llvm::Instruction& operation = *at++;
    if (!is_widening(operation)) continue;
    const auto [known, is_new] = first.insert({{operation.getOperand(0), operation.getOpcode(),
                                                operation.getType(), stage_of.at(&operation)},
                                               &operation});
    if (is_new) continue;
    operation.replaceAllUsesWith(known->second);
    stage_of.erase(&operation);
    operation.eraseFromParent();
  }
}

/// Fills in the stages' figures for the reports.
void measure(const Problem& problem, Schedule& schedule) {
  const DelayModel& model = problem.model();
  const StageLogic logic = problem.logic(schedule.stage_of);
  schedule.stage_ns.assign(schedule.stages, 0);
  std::vector<const llvm::Instruction*> latest(schedule.stages, nullptr);
  for (const llvm::Instruction* operation : problem.operations()) {
    const int stage = schedule.stage_of.at(operation);
    const double done = logic.arrival(*operation);
    schedule.done_ns[operation] = done;
    if (!latest[stage] || done > schedule.stage_ns[stage]) latest[stage] = operation;
    schedule.stage_ns[stage] = std::max(schedule.stage_ns[stage], done);
  }
  schedule.paths.assign(schedule.stages, {});
  for (int stage = 0; stage < schedule.stages; ++stage) {
    if (!latest[stage]) continue;
    const StageLogic::Path path = logic.path(*latest[stage]);
    schedule.paths[stage] = {path.operations,   path.parts.tables,     path.parts.extra_inputs,
                             path.parts.chains, path.parts.carry_bits, path.parts.multipliers};
  }
  const double limit = *std::max_element(schedule.stage_ns.begin(), schedule.stage_ns.end());
  std::vector<const llvm::Value*> roots;
  for (const auto& values : schedule.registers) {
    roots.insert(roots.end(), values.begin(), values.end());
  }
  int result_bits = 0;
  for (const llvm::Instruction* operation : problem.operations()) {
    if (!Problem::is_result(*operation)) continue;
    const llvm::Value* result = operation->getOperand(2);
    roots.push_back(result);
    result_bits += static_cast<int>(width_of(*result));
  }
  const BitNetwork::Area area = logic.area(roots, limit);
  schedule.area = {static_cast<int>(area.tables * model.lut_scale + 0.5), area.carry_bits,
                   area.multipliers, schedule.register_bits() + result_bits};
  for (double& time : schedule.stage_ns) time += model.register_ns;
  schedule.slowest_ns = limit + model.register_ns;
}

/// Extends an attempt with at most `stages` stages to exactly that many, none slower than
/// `period_ns`.
Schedule finish(llvm::Function& function, const Problem& split, int stages, double period_ns,
                const Problem::Attempt& attempt) {
  StageOf start = attempt.stage_of;
  for (const llvm::Instruction* operation : split.operations()) {
    if (Problem::is_result(*operation)) start[operation] = stages - 1;
  }
  Schedule schedule;
  schedule.stages = stages;
  schedule.stage_of = fewest_register_bits(split, stages, period_ns, start);
  join_widenings(function, schedule.stage_of);
  const Problem problem(function, split.model());
  fill_registers(problem, schedule);
  measure(problem, schedule);
  verify_schedule(function, schedule, problem.model());
  return schedule;
}

}  // namespace

int Schedule::register_bits() const {
  int bits = 0;
  for (const auto& values : registers) {
    for (const llvm::Value* value : values) {
      bits += static_cast<int>(width_of(*value));
    }
  }
  return bits;
}

Schedule cut_into_stages(llvm::Function& function, int stages, const DelayModel& model) {
  if (stages < 1) throw Refusal("a pipeline needs at least one stage");
  split_widenings(function);
  const Problem problem(function, model);
  const llvm::Instruction* unused = nullptr;
  double fast = slowest_alone(problem, unused);
  Problem::Attempt best = problem.as_soon_as_possible(1e9);
  if (stages > 1) {
    if (Problem::Attempt attempt = problem.as_soon_as_possible(fast);
        attempt.stages > 0 && attempt.stages <= stages) {
      best = std::move(attempt);
    }
    while (best.slowest_ns - fast > kResolutionNs) {
      const double middle = (best.slowest_ns + fast) / 2;
      Problem::Attempt attempt = problem.as_soon_as_possible(middle);
      if (attempt.stages > 0 && attempt.stages <= stages) {
        best = std::move(attempt);
      } else {
        fast = middle;
      }
    }
  }
  return finish(function, problem, stages, best.slowest_ns, best);
}

Schedule least_stages(llvm::Function& function, double period_ns, const DelayModel& model) {
  split_widenings(function);
  const Problem problem(function, model);
  const llvm::Instruction* slowest = nullptr;
  const double needed = slowest_alone(problem, slowest) + model.register_ns;
  if (needed > period_ns) {
    refuse(*slowest,
           fmt::format("one operation alone takes {:.1f} ns and the clock leaves {:.1f} ns;"
                       " lower --clock-mhz, or split the operation",
                       needed, period_ns));
  }
  const double limit = period_ns - model.register_ns;
  const Problem::Attempt attempt = problem.as_soon_as_possible(limit);
  if (attempt.stages == 0) throw std::logic_error("an operation fits alone, but in no stage");
  return finish(function, problem, attempt.stages, limit, attempt);
}

void verify_schedule(const llvm::Function& function, const Schedule& schedule,
                     const DelayModel& model) {
  for (const auto& [operation, stage] : schedule.stage_of) {
    if (stage < 0 || stage >= schedule.stages) throw std::logic_error("a stage is out of range");
  }
  StageLogic logic(model);
  for (const llvm::Instruction& operation : function.getEntryBlock()) {
    const auto found = schedule.stage_of.find(&operation);
    if (found == schedule.stage_of.end()) continue;
    for (const llvm::Value* operand : operation.operands()) {
      const auto* source = llvm::dyn_cast<llvm::Instruction>(operand);
      if (!source) continue;
      const int computed = schedule.stage_of.at(source);
      if (computed > found->second) {
        throw std::logic_error("an operand is computed after its use");
      }
      for (int stage = computed; stage < found->second; ++stage) {
        const auto& values = schedule.registers.at(stage);
        if (std::find(values.begin(), values.end(), source) == values.end()) {
          throw std::logic_error("a value crosses a stage without a register");
        }
      }
    }
    if (logic.add(operation, found->second) + model.register_ns > schedule.slowest_ns + 1e-9) {
      throw std::logic_error("a stage is slower than its schedule says");
    }
  }
}

}  // namespace systole::compiler
