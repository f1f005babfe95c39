#include "hls/compiler/loops/schedule_kernel.h"

#include <fmt/format.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <optional>

#include "hls/compiler/loops/clock_count.h"
#include "hls/compiler/loops/kernel_analyses.h"
#include "hls/compiler/loops/loop_options.h"
#include "hls/compiler/loops/machine.h"
#include "hls/compiler/loops/stream_orders.h"
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
        analyses_(*kernel.body) {
    for (const KernelMemory& memory : kernel.memories) names_.memories.push_back(memory.word.name);
    for (const KernelStream& stream : kernel.streams) names_.streams.push_back(stream.element.name);
  }

  KernelSchedule run() {
    for (llvm::BasicBlock& block : *kernel_.body) {
      if (!takes_no_clock(block)) schedule(block);
    }
    for (const llvm::Loop* loop : analyses_.loops().getLoopsInPreorder()) describe(*loop);
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
    std::vector<Dependence> orders = dependences(block, loop, analyses_.evolution());
    for (const Dependence& one : stream_orders(block, loop, kernel_.streams)) {
      orders.push_back(one);
    }
    result_.problems.push_back(
        std::make_unique<BlockProblem>(block, loop, std::move(orders), names_, model_, clock_ns_));
    const BlockProblem& problem = *result_.problems.back();
    result_.problem_of[&block] = &problem;
    BlockSchedule best = schedule_in_order(problem);
    verify(problem, best);
    if (is_loop && overlaps_) overlap(problem, *around, best);
    result_.blocks[&block] = std::move(best);
  }

  void overlap(const BlockProblem& problem, const llvm::Loop& loop, BlockSchedule& best) {
    const std::optional<int> asked = interval_asked(loop);
    if (asked == 0) return;
    Binding binding;
    for (int interval = asked.value_or(1); interval <= best.length + 1; ++interval) {
      Binding here;
      auto found = schedule_overlapping(problem, interval, here);
      if (!here.what.empty()) binding = here;
      if (found) {
        verify(problem, *found);
        const bool helps = interval < best.length || asked;
        if (helps) best = std::move(*found);
        break;
      }
      if (asked) {
        refuse(*loop.getHeader()->getTerminator(),
               fmt::format("this loop cannot start an iteration every {} clock{}: {}; ask for more "
                           "clocks, or change the loop",
                           *asked, *asked == 1 ? "" : "s", binding.what));
      }
    }
    if (best.interval != 1) binding_of_[&loop] = binding.what;
  }

  void describe(const llvm::Loop& loop) {
    LoopReport one;
    one.position = short_position(loop.getStartLoc());
    one.depth = static_cast<int>(loop.getLoopDepth());
    one.trips = trip_count(loop);
    one.asked = interval_asked(loop);
    const auto found = result_.blocks.find(loop.getHeader());
    if (loop.getNumBlocks() == 1 && found != result_.blocks.end()) {
      one.interval = found->second.interval;
      one.latency = found->second.length;
      one.stages = found->second.stages();
      one.least_by_ports = result_.problem_of.at(loop.getHeader())->least_by_ports().first;
      if (const auto bound = binding_of_.find(&loop); bound != binding_of_.end()) {
        one.binding = bound->second;
      }
    } else if (loop.isInnermost()) {
      one.binding = "it is left from several places";
    }
    result_.report.loops.push_back(one);
  }

  const LoweredKernel& kernel_;
  const DelayModel& model_;
  double clock_ns_;
  bool overlaps_;
  KernelAnalyses analyses_;
  PortNames names_;
  KernelSchedule result_;
  std::map<const llvm::Loop*, std::string> binding_of_;
};

}  // namespace

KernelSchedule schedule_kernel(const LoweredKernel& kernel, const DelayModel& model,
                               double clock_ns, bool overlaps) {
  return Scheduler(kernel, model, clock_ns, overlaps).run();
}

}  // namespace systole::compiler
