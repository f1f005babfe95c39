#include "hls/compiler/schedule/stages.h"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "hls/compiler/passes/operations.h"
#include "hls/compiler/passes/wiring.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// The block's operations in order, and what the scheduler asks about them.
class Problem {
 public:
  Problem(llvm::Function& function, const DelayModel& model) : model_(model) {
    for (llvm::Instruction& instruction : function.getEntryBlock()) {
      if (instruction.isTerminator() || llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) continue;
      operations.push_back(&instruction);
    }
  }

  std::vector<llvm::Instruction*> operations;

  static bool is_argument(const llvm::Instruction& operation) {
    return is_operation(operation, Operation::kReadPort);
  }
  static bool is_result(const llvm::Instruction& operation) {
    return is_operation(operation, Operation::kWritePort);
  }

  /// The time within its stage at which each operation is done.
  std::map<const llvm::Instruction*, double> times(const Schedule& schedule) const {
    std::map<const llvm::Instruction*, double> done;
    for (const llvm::Instruction* operation : operations) {
      const int stage = schedule.stage_of.at(operation);
      double start = 0;
      for (const llvm::Value* operand : operation->operands()) {
        const auto* source = llvm::dyn_cast<llvm::Instruction>(operand);
        if (source && schedule.stage_of.at(source) == stage) {
          start = std::max(start, done.at(source));
        }
      }
      done[operation] = start + model_.delay_of(*operation);
    }
    return done;
  }

  /// As soon as possible with stages no slower than `period_ns`; the number of stages it takes.
  int as_soon_as_possible(double period_ns, Schedule& schedule) const {
    std::map<const llvm::Instruction*, double> done;
    int last = 0;
    for (const llvm::Instruction* operation : operations) {
      int stage = 0;
      for (const llvm::Value* operand : operation->operands()) {
        if (const auto* source = llvm::dyn_cast<llvm::Instruction>(operand)) {
          stage = std::max(stage, schedule.stage_of.at(source));
        }
      }
      double start = 0;
      for (const llvm::Value* operand : operation->operands()) {
        const auto* source = llvm::dyn_cast<llvm::Instruction>(operand);
        if (source && schedule.stage_of.at(source) == stage) {
          start = std::max(start, done.at(source));
        }
      }
      const double delay = model_.delay_of(*operation);
      if (start + delay > period_ns && start > 0) {
        ++stage;
        start = 0;
      }
      done[operation] = start + delay;
      schedule.stage_of[operation] = stage;
      last = std::max(last, stage);
    }
    return last + 1;
  }

 private:
  const DelayModel& model_;
};

/// The last stage in which the value is needed.
int last_use(const llvm::Value& value, const Schedule& schedule) {
  int last = -1;
  for (const llvm::User* user : value.users()) {
    const auto* operation = llvm::dyn_cast<llvm::Instruction>(user);
    const auto found = schedule.stage_of.find(operation);
    if (found != schedule.stage_of.end()) last = std::max(last, found->second);
  }
  return last;
}

int register_bits_of(const llvm::Instruction& operation, const Schedule& schedule) {
  if (!operation.getType()->isIntegerTy()) return 0;
  const int crossings = last_use(operation, schedule) - schedule.stage_of.at(&operation);
  return std::max(0, crossings) * static_cast<int>(operation.getType()->getIntegerBitWidth());
}

/// A wire that drops bits.
bool is_cut(const llvm::Instruction& operation) {
  return is_wiring(operation) && (operation.getOpcode() == llvm::Instruction::Trunc ||
                                  operation.getOpcode() == llvm::Instruction::LShr ||
                                  operation.getOpcode() == llvm::Instruction::And);
}

/// Whether what the cut takes its bits from is needed in that stage by others, too.
bool is_registered_anyway(const llvm::Instruction& cut, int stage, const Schedule& schedule) {
  const llvm::Instruction* part = &cut;
  while (const auto* source = llvm::dyn_cast<llvm::Instruction>(part->getOperand(0))) {
    for (const llvm::User* user : source->users()) {
      const auto found = schedule.stage_of.find(llvm::cast<llvm::Instruction>(user));
      if (user != part && found != schedule.stage_of.end() && found->second >= stage) return true;
    }
    if (!is_cut(*source)) return false;
    part = source;
  }
  return false;
}

/// Wires cost nothing wherever they are, so they move behind the registers when that is no wider:
/// extensions and concatenations always, cuts when what they cut is registered anyway.
void sink_wires(const Problem& problem, Schedule& schedule) {
  for (auto at = problem.operations.rbegin(); at != problem.operations.rend(); ++at) {
    llvm::Instruction* operation = *at;
    if (!is_wiring(*operation) || operation->use_empty()) continue;
    int first_use = schedule.stages;
    for (const llvm::User* user : operation->users()) {
      first_use = std::min(first_use, schedule.stage_of.at(llvm::cast<llvm::Instruction>(user)));
    }
    if (first_use <= schedule.stage_of.at(operation)) continue;
    if (is_cut(*operation) && !is_registered_anyway(*operation, first_use, schedule)) continue;
    schedule.stage_of[operation] = first_use;
  }
}

/// Moves single operations to a later stage while that saves register bits and no stage gets slower
/// than the period.
void save_registers(const Problem& problem, double period_ns, Schedule& schedule) {
  for (bool moved = true; moved;) {
    moved = false;
    for (auto at = problem.operations.rbegin(); at != problem.operations.rend(); ++at) {
      llvm::Instruction* operation = *at;
      if (Problem::is_argument(*operation) || Problem::is_result(*operation)) continue;
      int first_use = schedule.stages;
      for (const llvm::User* user : operation->users()) {
        first_use = std::min(first_use, schedule.stage_of.at(llvm::cast<llvm::Instruction>(user)));
      }
      const int stage = schedule.stage_of.at(operation);
      if (first_use <= stage || stage + 1 >= schedule.stages) continue;
      std::set<const llvm::Instruction*> touched = {operation};
      for (const llvm::Value* operand : operation->operands()) {
        if (const auto* source = llvm::dyn_cast<llvm::Instruction>(operand)) touched.insert(source);
      }
      const auto bits = [&] {
        int sum = 0;
        for (const llvm::Instruction* one : touched) sum += register_bits_of(*one, schedule);
        return sum;
      };
      const int before = bits();
      schedule.stage_of[operation] = stage + 1;
      bool fits = bits() < before;
      if (fits) {
        for (const auto& [one, time] : problem.times(schedule)) fits = fits && time <= period_ns;
      }
      if (fits) {
        moved = true;
      } else {
        schedule.stage_of[operation] = stage;
      }
    }
  }
}

void fill_registers(const Problem& problem, Schedule& schedule) {
  schedule.registers.assign(schedule.stages - 1, {});
  for (llvm::Instruction* operation : problem.operations) {
    if (!operation->getType()->isIntegerTy()) continue;
    const int last = last_use(*operation, schedule);
    for (int stage = schedule.stage_of.at(operation); stage < last; ++stage) {
      schedule.registers[stage].push_back(operation);
    }
  }
}

}  // namespace

int Schedule::register_bits() const {
  int bits = 0;
  for (const auto& values : registers) {
    for (const llvm::Value* value : values) {
      bits += static_cast<int>(value->getType()->getIntegerBitWidth());
    }
  }
  return bits;
}

Schedule cut_into_stages(llvm::Function& function, int stages, const DelayModel& model) {
  if (stages < 1) throw Refusal("a pipeline needs at least one stage");
  const Problem problem(function, model);
  double slow = 0;
  double fast = 0;
  for (const llvm::Instruction* operation : problem.operations) {
    slow += model.delay_of(*operation);
    fast = std::max(fast, model.delay_of(*operation));
  }
  Schedule schedule;
  for (int step = 0; step < 40; ++step) {
    const double middle = (slow + fast) / 2;
    Schedule attempt;
    (problem.as_soon_as_possible(middle, attempt) <= stages ? slow : fast) = middle;
  }
  problem.as_soon_as_possible(slow, schedule);
  schedule.stages = stages;
  for (llvm::Instruction* operation : problem.operations) {
    if (Problem::is_result(*operation)) schedule.stage_of[operation] = stages - 1;
  }
  sink_wires(problem, schedule);
  save_registers(problem, slow, schedule);
  sink_wires(problem, schedule);
  schedule.stage_ns.assign(stages, 0);
  for (const auto& [operation, time] : problem.times(schedule)) {
    double& slowest = schedule.stage_ns[schedule.stage_of.at(operation)];
    slowest = std::max(slowest, time);
  }
  for (double& time : schedule.stage_ns) time += model.register_ns;
  schedule.slowest_ns = *std::max_element(schedule.stage_ns.begin(), schedule.stage_ns.end());
  fill_registers(problem, schedule);
  verify_schedule(function, schedule, model);
  return schedule;
}

Schedule least_stages(llvm::Function& function, double period_ns, const DelayModel& model) {
  const llvm::Instruction* slowest = nullptr;
  for (const llvm::Instruction& operation : function.getEntryBlock()) {
    if (!slowest || model.delay_of(operation) > model.delay_of(*slowest)) slowest = &operation;
  }
  const double needed = model.delay_of(*slowest) + model.register_ns;
  if (needed > period_ns) {
    refuse(*slowest,
           fmt::format("one operation alone takes {:.1f} ns and the clock leaves {:.1f} ns;"
                       " lower --clock-mhz, or split the operation",
                       needed, period_ns));
  }
  int stages = 1;
  Schedule schedule = cut_into_stages(function, stages, model);
  while (schedule.slowest_ns > period_ns) {
    schedule = cut_into_stages(function, ++stages, model);
  }
  return schedule;
}

void verify_schedule(const llvm::Function& function, const Schedule& schedule,
                     const DelayModel& model) {
  std::map<const llvm::Instruction*, double> done;
  for (const auto& [operation, stage] : schedule.stage_of) {
    if (stage < 0 || stage >= schedule.stages) throw std::logic_error("a stage is out of range");
  }
  for (const llvm::Instruction& operation : function.getEntryBlock()) {
    const auto found = schedule.stage_of.find(&operation);
    if (found == schedule.stage_of.end()) continue;
    double start = model.register_ns;
    for (const llvm::Value* operand : operation.operands()) {
      const auto* source = llvm::dyn_cast<llvm::Instruction>(operand);
      if (!source) continue;
      if (schedule.stage_of.at(source) > found->second) {
        throw std::logic_error("an operand is computed after its use");
      }
      if (schedule.stage_of.at(source) == found->second) start = std::max(start, done.at(source));
    }
    done[&operation] = start + model.delay_of(operation);
    if (done[&operation] > schedule.slowest_ns + 1e-9) {
      throw std::logic_error("a stage is slower than its schedule says");
    }
  }
}

}  // namespace systole::compiler
