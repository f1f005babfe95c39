#include "hls/compiler/loops/schedule_kernel.h"

#include <fmt/format.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <optional>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/clock_count.h"
#include "hls/compiler/loops/loop_options.h"
#include "hls/compiler/loops/machine.h"
#include "hls/compiler/loops/stream_orders.h"
#include "hls/compiler/loops/units.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

class Scheduler {
 public:
  Scheduler(const LoweredKernel& kernel, const DelayModel& model, double clock_ns, bool overlaps)
      : kernel_(kernel),
        model_(model),
        clock_ns_(clock_ns),
        overlaps_(overlaps),
        analyses_(*kernel.body) {}

  KernelSchedule run() {
    for (llvm::BasicBlock& block : *kernel_.body) {
      if (!takes_no_clock(block)) schedule(block);
    }
    for (const llvm::Loop* loop : analyses_.loops().getLoopsInPreorder()) describe(*loop);
    for (const llvm::BasicBlock& block : *kernel_.body) describe(block);
    result_.report.kernel = kernel_.name;
    result_.report.parameters = kernel_.parameters;
    const ClockCount count = count_clocks(*kernel_.body, result_.blocks, analyses_);
    result_.report.least_clocks = count.least;
    result_.report.most_clocks = count.most;
    for (const KernelStream& stream : kernel_.streams) {
      (stream.role == StreamRole::kPort ? result_.report.has_streams : result_.report.has_axi) =
          true;
    }
    result_.report.axi_accesses = kernel_.axi_notes;
    return std::move(result_);
  }

 private:
  void schedule(const llvm::BasicBlock& block) {
    llvm::Loop* around = analyses_.loops().getLoopFor(&block);
    const bool is_loop =
        around && around->getNumBlocks() == 1 && around->getExitingBlock() == &block;
    const llvm::Loop* loop = is_loop ? around : nullptr;
    result_.problems.push_back(std::make_unique<BlockProblem>(
        block, loop, orders_of(block, loop, kernel_, analyses_), kernel_, model_, clock_ns_));
    BlockProblem& problem = *result_.problems.back();
    result_.problem_of[&block] = &problem;
    BlockSchedule best = schedule_in_order(problem);
    verify(problem, best);
    if (is_loop && overlaps_) {
      Binding binding;
      best = schedule_loop(problem, *around, binding);
      if (!binding.what.empty()) binding_of_[around] = binding.what;
    }
    result_.blocks[&block] = std::move(best);
  }

  void describe(const llvm::Loop& loop) {
    LoopReport one;
    one.position = short_position(loop.getStartLoc());
    one.depth = static_cast<int>(loop.getLoopDepth());
    one.trips = trip_count(loop);
    one.asked = interval_asked(loop);
    one.flattened = flattened_positions(loop);
    const auto found = result_.blocks.find(loop.getHeader());
    if (loop.getNumBlocks() == 1 && found != result_.blocks.end()) {
      one.interval = found->second.interval;
      one.latency = found->second.length;
      one.stages = found->second.stages();
      one.least = found->second.least_interval;
      one.units = units_of(found->second);
      one.passed = words_passed(found->second);
      one.least_by_resources = result_.problem_of.at(loop.getHeader())->least_by_resources().clocks;
      if (const auto bound = binding_of_.find(&loop); bound != binding_of_.end()) {
        one.binding = bound->second;
      }
    } else if (loop.isInnermost()) {
      one.binding = "it is left from several places";
    }
    result_.report.loops.push_back(one);
    if (loop.getNumBlocks() == 1) titles_[loop.getHeader()] = loop_line(one);
  }

  /// "fp32_add x 3": the units that a block keeps busy, and its products.
  std::vector<std::string> units_of(const BlockSchedule& schedule) const {
    std::map<std::string, int> counts;
    for (const auto& [call, instance] : schedule.instance) {
      int& count = counts[kernel_.units[static_cast<std::size_t>(leaf_of(*call))].name];
      count = std::max(count, instance + 1);
    }
    for (const auto& [operation, start] : schedule.start) {
      const bool is_product = operation->getOpcode() == llvm::Instruction::Mul &&
                              !llvm::isa<llvm::Constant>(operation->getOperand(1));
      if (is_product) ++counts["product"];
    }
    std::vector<std::string> units;
    for (const auto& [name, count] : counts) {
      units.push_back(count == 1 ? name : fmt::format("{} x {}", name, count));
    }
    return units;
  }

  /// "a word of counts, 16 bits, where 8 bits of address are equal"
  std::vector<std::string> words_passed(const BlockSchedule& schedule) const {
    std::vector<std::string> words;
    const BlockProblem& problem = *result_.problem_of.at(schedule.block);
    for (const llvm::Instruction* read : problem.operations()) {
      if (!problem.passed_to(*read, schedule)) continue;
      const KernelMemory& memory = kernel_.memories[static_cast<std::size_t>(leaf_of(*read))];
      words.push_back(fmt::format("{}, {} bits, where {} bits of address are equal",
                                  memory.word.name, memory.word.width, memory.address_width()));
    }
    return words;
  }

  /// Its operations in time, for the picture.
  void describe(const llvm::BasicBlock& block) {
    const auto found = result_.blocks.find(&block);
    if (found == result_.blocks.end()) return;
    const BlockSchedule& schedule = found->second;
    BlockReport report;
    report.interval = schedule.interval;
    report.length = schedule.length;
    for (int clock = 0; clock < schedule.length; ++clock) {
      for (const llvm::Instruction* operation : result_.problem_of.at(&block)->operations()) {
        if (schedule.start.at(operation) == clock) add(timed(*operation, schedule), report);
      }
    }
    const auto title = titles_.find(&block);
    report.title = title != titles_.end()      ? title->second
                   : report.operations.empty() ? "nothing but a branch"
                                               : "from " + report.operations.front().position;
    result_.report.blocks.push_back(std::move(report));
  }

  /// Logic without a name joins that of its line in the same clock: "shl, or".
  static void add(TimedOperation one, BlockReport& report) {
    for (TimedOperation& other : report.operations) {
      const bool joins = one.kind == TimedOperation::Kind::kLogic && one.kind == other.kind &&
                         !one.has_name && !other.has_name && one.start == other.start &&
                         one.position == other.position;
      if (!joins) continue;
      if (other.name.find(one.name) == std::string::npos) other.name += ", " + one.name;
      return;
    }
    report.operations.push_back(std::move(one));
  }

  TimedOperation timed(const llvm::Instruction& operation, const BlockSchedule& schedule) const {
    using enum TimedOperation::Kind;
    TimedOperation one;
    one.name = variable_name(const_cast<llvm::Instruction&>(operation));
    const auto memory = [&] {
      return kernel_.memories[static_cast<std::size_t>(leaf_of(operation))].word.name;
    };
    if (is_operation(operation, Operation::kMemoryRead)) {
      one.kind = kRead;
      one.name = "read " + memory() + (one.name.empty() ? "" : " as " + one.name);
    } else if (is_operation(operation, Operation::kMemoryWrite)) {
      one.kind = kWrite;
      one.name = "write " + memory();
    } else if (is_operation(operation, {Operation::kStreamPop, Operation::kStreamPush})) {
      const bool pops = is_operation(operation, Operation::kStreamPop);
      one.kind = pops ? kRead : kWrite;
      one.name =
          fmt::format("{} {}", pops ? "pop" : "push",
                      kernel_.streams[static_cast<std::size_t>(leaf_of(operation))].element.name);
    } else if (is_operation(operation, Operation::kUnit)) {
      one.kind = kUnit;
      const KernelUnit& unit = kernel_.units[static_cast<std::size_t>(leaf_of(operation))];
      one.name = unit.name + (one.name.empty() ? "" : ": " + one.name);
    } else if (one.name.empty()) {
      one.has_name = is_operation(operation, Operation::kWritePort);
      one.name = one.has_name ? "output" : operation.getOpcodeName();
    }
    one.position = short_position(operation.getDebugLoc());
    one.start = schedule.start.at(&operation);
    one.clocks = std::max(1, latency_of(operation));
    return one;
  }

  const LoweredKernel& kernel_;
  const DelayModel& model_;
  double clock_ns_;
  bool overlaps_;
  KernelAnalyses analyses_;
  KernelSchedule result_;
  std::map<const llvm::Loop*, std::string> binding_of_;
  std::map<const llvm::BasicBlock*, std::string> titles_;  ///< of loops
};

}  // namespace

std::vector<Dependence> orders_of(const llvm::BasicBlock& block, const llvm::Loop* loop,
                                  const LoweredKernel& kernel, KernelAnalyses& analyses) {
  std::vector<Dependence> orders = dependences(block, loop, analyses.evolution());
  const std::vector<Dependence> streams = stream_orders(block, loop, kernel.streams);
  orders.insert(orders.end(), streams.begin(), streams.end());
  return orders;
}

/// Passes words on beside a memory only where that makes the interval possible: it takes a
/// comparison of addresses and a register.
static std::optional<BlockSchedule> overlapping(BlockProblem& problem, int interval,
                                                Binding& binding) {
  std::optional<BlockSchedule> found;
  for (const bool passes : {false, true}) {
    problem.pass_words(passes);
    Binding here;
    found = schedule_overlapping(problem, interval, here);
    if (found) break;
    binding = here;
  }
  return found;
}

BlockSchedule schedule_loop(BlockProblem& problem, const llvm::Loop& loop, Binding& binding) {
  BlockSchedule best = schedule_in_order(problem);
  verify(problem, best);
  const std::optional<int> asked = interval_asked(loop);
  if (asked == 0) return best;
  const int one_by_one = best.length;
  int least = 0;
  for (int interval = 1; least == 0 && interval <= std::max(one_by_one + 1, asked.value_or(1));
       ++interval) {
    Binding here;
    auto found = overlapping(problem, interval, here);
    if (!here.what.empty()) binding = here;
    if (!found && asked != interval) continue;
    if (found) least = interval;
    if (found && asked.value_or(interval) > interval) {
      found = overlapping(problem, *asked, here);
      binding.what = found ? "the source asks for it" : here.what;
    }
    if (!found) {
      refuse(*loop.getHeader()->getTerminator(),
             fmt::format("this loop cannot start an iteration every {} clock{}: {}; ask for more "
                         "clocks, or change the loop",
                         *asked, *asked == 1 ? "" : "s", binding.what));
    }
    if (asked || interval < one_by_one) best = std::move(*found);
  }
  if (best.overlaps()) verify(problem, best);
  best.least_interval = least;
  if (best.interval == 1) binding.what.clear();
  return best;
}

KernelSchedule schedule_kernel(const LoweredKernel& kernel, const DelayModel& model,
                               double clock_ns, bool overlaps) {
  return Scheduler(kernel, model, clock_ns, overlaps).run();
}

}  // namespace systole::compiler
