#include "hls/compiler/loops/flatten_nests.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <cstdint>

#include "hls/compiler/loops/address_trace.h"
#include "hls/compiler/loops/flatten_nest.h"
#include "hls/compiler/loops/loop_options.h"
#include "hls/compiler/loops/machine.h"
#include "hls/compiler/loops/schedule_kernel.h"
#include "hls/compiler/lower/pass.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

class Nests {
 public:
  Nests(LoweredKernel& kernel, const DelayModel& model, double clock_ns)
      : kernel_(kernel), model_(model), clock_ns_(clock_ns) {}

  void run() {
    for (std::size_t at = 0;;) {
      const std::vector<Nest> nests = nests_of(*kernel_.body);
      if (at >= nests.size()) return;
      if (pays(nests[at])) {
        flatten_in(*kernel_.body, nests[at]);
      } else {
        ++at;
      }
    }
  }

 private:
  /// Whether the flat loop is faster than one iteration of the outer loop after the other.
  bool pays(const Nest& nest) {
    KernelAnalyses analyses(*kernel_.body);
    const llvm::Loop* inner = analyses.loops().getLoopFor(nest.inner);
    const auto trips = static_cast<std::int64_t>(trip_count(*inner));
    Binding binding;
    const BlockSchedule loop = schedule_of(*nest.inner, inner, analyses, binding);
    const std::int64_t around = clocks(*nest.before, analyses) + clocks(*nest.after, analyses);
    const std::int64_t interval = loop.overlaps() ? loop.interval : loop.length;

    llvm::ValueToValueMapTy values;
    llvm::Function* copy = llvm::CloneFunction(kernel_.body, values);
    const auto block = [&](llvm::BasicBlock* one) {
      return llvm::cast<llvm::BasicBlock>(values[one]);
    };
    llvm::BasicBlock* flat = block(nest.before);
    flatten_in(*copy, {flat, block(nest.inner), block(nest.after)});
    bool better = false;
    {
      KernelAnalyses flattened(*copy);
      const llvm::Loop* one = flattened.loops().getLoopFor(flat);
      if (one && one->getNumBlocks() == 1) {
        const BlockSchedule tried = schedule_of(*flat, one, flattened, binding);
        const std::int64_t each = tried.overlaps() ? tried.interval : tried.length;
        better = trips == 0 ? each <= interval
                            : trips * each < around + loop.length + (trips - 1) * interval;
      }
    }
    copy->eraseFromParent();
    return better;
  }

  BlockSchedule schedule_of(const llvm::BasicBlock& block, const llvm::Loop* loop,
                            KernelAnalyses& analyses, Binding& binding) const {
    BlockProblem problem(block, loop, orders_of(block, loop, kernel_, analyses), kernel_, model_,
                         clock_ns_);
    if (!loop) return schedule_in_order(problem);
    try {
      return schedule_loop(problem, *loop, binding);
    } catch (const Refusal&) {  // not at the interval that is asked for
      return schedule_in_order(problem);
    }
  }

  std::int64_t clocks(const llvm::BasicBlock& block, KernelAnalyses& analyses) const {
    if (takes_no_clock(block)) {
      const llvm::Loop* loop = analyses.loops().getLoopFor(&block);
      return loop && loop->getHeader() == &block ? 1 : 0;
    }
    Binding none;
    return schedule_of(block, nullptr, analyses, none).length;
  }

  void flatten_in(llvm::Function& function, const Nest& nest) const {
    std::string outer_position;
    unsigned trips = 0;
    {
      KernelAnalyses analyses(function);
      const llvm::Loop* inner = analyses.loops().getLoopFor(nest.inner);
      const llvm::Loop* outer = inner->getParentLoop();
      trips = trip_count(*inner) * trip_count(*outer);
      outer_position = short_position(outer->getStartLoc());
    }
    llvm::BasicBlock* flat = nest.before;
    flatten(nest);
    Unit unit{.program = *function.getParent(), .functions = {&function}};
    run_passes("combine_values expand_intrinsics narrow", unit);
    KernelAnalyses analyses(function);
    if (llvm::Loop* loop = analyses.loops().getLoopFor(flat)) {
      if (trips == 0 && loop->getNumBlocks() == 1) trips = constant_trips(*loop).value_or(0);
      note_flattened(*loop, outer_position, trips);
    }
  }

  LoweredKernel& kernel_;
  const DelayModel& model_;
  double clock_ns_;
};

}  // namespace

void flatten_nests(LoweredKernel& kernel, const DelayModel& model, double clock_ns) {
  Nests(kernel, model, clock_ns).run();
}

}  // namespace systole::compiler
