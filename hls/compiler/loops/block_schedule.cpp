#include "hls/compiler/loops/block_schedule.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/units.h"
#include "hls/compiler/schedule/stage_logic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using llvm::Instruction;

/// "sum (fir.h:12)", as a user knows the operation.
std::string describe(const Instruction& operation) {
  std::string name = variable_name(const_cast<Instruction&>(operation));
  if (is_operation(operation, Operation::kMemoryRead)) name = "the read";
  if (is_operation(operation, Operation::kMemoryWrite)) name = "the write";
  if (is_operation(operation, Operation::kStreamPop)) name = "the pop";
  if (is_operation(operation, Operation::kStreamPush)) name = "the push";
  if (name.empty() && is_operation(operation, Operation::kUnit)) name = operation.getName().str();
  if (name.empty()) name = fmt::format("this {}", operation.getOpcodeName());
  const std::string where = short_position(operation.getDebugLoc());
  return where.empty() ? name : fmt::format("{} ({})", name, where);
}

/// One way through a block's operations, each as early as `earliest` and everything else allow.
class Placement {
 public:
  Placement(const BlockProblem& problem, int interval,
            const std::map<const Instruction*, int>& earliest)
      : problem_(problem), logic_(problem.model()) {
    schedule_.block = &problem.block();
    schedule_.interval = interval;
    for (const Instruction& instruction : problem.block()) {
      if (BlockProblem::is_operation(instruction)) {
        const auto found = earliest.find(&instruction);
        place(instruction, found == earliest.end() ? 0 : found->second);
      } else if (is_wire(instruction)) {
        const auto from = problem.sources(instruction);
        logic_.add(instruction,
                   from.empty() ? kBefore : BlockProblem::ready(*from.front(), schedule_));
      }
    }
    for (const Instruction* operation : problem.operations()) {
      schedule_.length = std::max(schedule_.length, BlockProblem::ready(*operation, schedule_) + 1);
    }
  }

  /// Whether every unit and port has a clock for each of its operations.
  bool fits() const { return fits_; }
  BlockSchedule take() { return std::move(schedule_); }

 private:
  static constexpr int kBefore = -1;  ///< values that are there before the block

  void place(const Instruction& operation, int clock) {
    for (const llvm::Value* operand : operation.operands()) {
      for (const Instruction* from : problem_.sources(*operand)) {
        clock = std::max(clock, problem_.ready_for_others(*from, schedule_));
      }
    }
    for (const Dependence& order : problem_.orders()) {
      if (order.to != &operation || order.distance != 0) continue;
      clock = std::max(clock, schedule_.start.at(order.from) + order.latency);
    }
    for (int tries = 0;; ++clock, ++tries) {
      if (schedule_.overlaps() && tries > 2 * schedule_.interval) fits_ = false;  // never free
      if (fits_ && !is_free(operation, clock)) continue;
      const double done = done_at(operation, clock);
      if (done > problem_.logic_ns() + 1e-9 && follows_in(operation, clock)) continue;
      schedule_.start[&operation] = clock;
      schedule_.slowest_ns = std::max(schedule_.slowest_ns, done);
      break;
    }
    take(operation, clock);
    if (const int latency = latency_of(operation); latency > 0) {
      logic_.add(operation, clock + latency);
      late_[&operation] =
          is_operation(operation, Operation::kMemoryRead) ? problem_.model().memory_ns : 0;
      if (problem_.may_be_passed_to(operation)) late_[&operation] += problem_.model().lut_ns;
    } else if (is_operation(operation, Operation::kStreamPop)) {
      logic_.add(operation, clock);  // a register has it
      late_[&operation] = 0;
    } else {
      late_[&operation] = lateness(operation, clock);
    }
  }

  /// The clocks in which an operation keeps a resource from others, in one interval.
  std::vector<int> slots(const Instruction& operation, int clock) const {
    const int count =
        is_operation(operation, Operation::kUnit) ? problem_.unit(operation).occupancy() : 1;
    std::vector<int> found;
    for (int i = 0; i < count; ++i) {
      found.push_back(schedule_.overlaps() ? (clock + i) % schedule_.interval : clock + i);
    }
    return found;
  }
  bool is_free(const Instruction& operation, int clock) const {
    const auto resource = BlockProblem::resource_of(operation);
    if (!resource) return true;
    const bool is_unit = resource->kind == Resource::Kind::kUnit;
    const int most = is_unit ? problem_.units(resource->number, schedule_.interval) : 1;
    const std::vector<int> wanted = slots(operation, clock);
    return std::all_of(wanted.begin(), wanted.end(), [&](int slot) {
      const auto found = used_.find({*resource, slot});
      return found == used_.end() || found->second < most;
    });
  }
  void take(const Instruction& operation, int clock) {
    const auto resource = BlockProblem::resource_of(operation);
    if (!resource) return;
    const std::vector<int> taken = slots(operation, clock);
    if (resource->kind == Resource::Kind::kUnit) {
      schedule_.instance[&operation] = used_[{*resource, taken.front()}];
    }
    for (const int slot : taken) ++used_[{*resource, slot}];
  }

  /// Whether an operand is computed in this clock, so that a later clock would be faster.
  bool follows_in(const Instruction& operation, int clock) const {
    return std::any_of(operation.op_begin(), operation.op_end(), [&](const llvm::Value* operand) {
      const auto from = problem_.sources(*operand);
      return !from.empty() && BlockProblem::ready(*from.front(), schedule_) == clock;
    });
  }

  /// How much later than registers a memory's data makes the operands of this clock.
  double lateness(const Instruction& operation, int clock) const {
    double late = 0;
    for (const llvm::Value* operand : operation.operands()) {
      for (const Instruction* from : problem_.sources(*operand)) {
        if (BlockProblem::ready(*from, schedule_) == clock) late = std::max(late, late_.at(from));
      }
    }
    return late;
  }

  double done_at(const Instruction& operation, int clock) {
    const double late = lateness(operation, clock);
    if (!BlockProblem::resource_of(operation)) return logic_.add(operation, clock) + late;
    double done = 0;  // of the operands, which leave the logic
    for (const llvm::Value* operand : operation.operands()) {
      for (const Instruction* from : problem_.sources(*operand)) {
        if (BlockProblem::ready(*from, schedule_) == clock) {
          done = std::max(done, logic_.arrival(*from));
        }
      }
    }
    const bool is_unit = is_operation(operation, Operation::kUnit);
    return done + late + (is_unit ? problem_.unit(operation).first_ns : 0);
  }

  const BlockProblem& problem_;
  StageLogic logic_;
  BlockSchedule schedule_;
  bool fits_ = true;
  std::map<std::pair<Resource, int>, int> used_;  ///< in a slot
  std::map<const Instruction*, double> late_;
};

/// Requires operations to start no earlier than the iterations before allow.
class Carried {
 public:
  Carried(const BlockProblem& problem, std::map<const Instruction*, int>& earliest)
      : problem_(problem), earliest_(earliest) {}

  /// Whether the schedule breaks an order between iterations; raises what starts too early.
  bool raise(const BlockSchedule& schedule) {
    raised_ = false;
    for (const Dependence& order : problem_.orders()) {
      if (order.distance == 0) continue;
      require(*order.to,
              schedule.start.at(order.from) + order.latency - order.distance * schedule.interval,
              schedule, [&] {
                return fmt::format(
                    "{} must follow {} of {} before", describe(*order.to), describe(*order.from),
                    order.distance == 1 ? "the iteration"
                                        : fmt::format("{} iterations", order.distance));
              });
    }
    for (const Instruction* operation : problem_.operations()) {
      for (const llvm::Value* operand : operation->operands()) {
        for (const llvm::PHINode* choice : problem_.choices(*operand)) {
          const int after = problem_.forwards(*choice) ? 0 : 1;
          require(*operation, problem_.next_known(*choice, schedule) + after - schedule.interval,
                  schedule, [&] {
                    std::string name = variable_name(const_cast<llvm::PHINode&>(*choice));
                    if (name.empty()) name = "a value";
                    return fmt::format("{} needs '{}' of the iteration before",
                                       describe(*operation), name);
                  });
        }
      }
    }
    return raised_;
  }
  const std::string& last() const { return last_; }

 private:
  template <typename Words>
  void require(const Instruction& operation, int clock, const BlockSchedule& schedule,
               Words words) {
    if (schedule.start.at(&operation) >= clock) return;
    earliest_[&operation] = std::max(earliest_[&operation], clock);
    last_ = words();
    raised_ = true;
  }

  const BlockProblem& problem_;
  std::map<const Instruction*, int>& earliest_;
  std::string last_;
  bool raised_ = false;
};

}  // namespace

BlockSchedule schedule_in_order(const BlockProblem& problem) {
  return Placement(problem, 0, {}).take();
}

std::optional<BlockSchedule> schedule_overlapping(const BlockProblem& problem, int interval,
                                                  Binding& binding) {
  if (const LeastInterval least = problem.least_by_resources(); interval < least.clocks) {
    binding.what = least.what;
    return std::nullopt;
  }
  std::map<const Instruction*, int> earliest;
  Carried carried(problem, earliest);
  constexpr int kMostRounds = 64;
  for (int round = 0; round < kMostRounds; ++round) {
    Placement placement(problem, interval, earliest);
    if (!placement.fits()) {
      binding.what = "its units' calls do not fit between each other";
      return std::nullopt;
    }
    BlockSchedule schedule = placement.take();
    // The next iteration starts only if this one says so.
    const llvm::Value& goes_on =
        *llvm::cast<llvm::BranchInst>(problem.block().getTerminator())->getCondition();
    for (const Instruction* source : problem.sources(goes_on)) {
      if (BlockProblem::ready(*source, schedule) < interval) continue;
      binding.what =
          fmt::format("the loop's end is known only after {}, {} clocks into an iteration",
                      describe(*source), BlockProblem::ready(*source, schedule) + 1);
      return std::nullopt;
    }
    if (!carried.raise(schedule)) return schedule;
    binding.what = carried.last();
  }
  return std::nullopt;
}

}  // namespace systole::compiler
