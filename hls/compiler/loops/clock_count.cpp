#include "hls/compiler/loops/clock_count.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "hls/compiler/loops/loop_options.h"

namespace systole::compiler {
namespace {

using llvm::BasicBlock;

class Counter {
 public:
  Counter(const llvm::Function& body, const std::map<const BasicBlock*, BlockSchedule>& blocks,
          KernelAnalyses& analyses)
      : blocks_(blocks), loops_(analyses.loops()) {
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&body);
    order_.assign(order.begin(), order.end());
  }

  /// From a block, its own clocks included, to the end of the region: the latch of `loop`, or the
  /// function's end.
  ClockCount region(const BasicBlock& start, const llvm::Loop* loop) {
    std::map<const BasicBlock*, ClockCount> reached;  // before the block's own clocks
    reached[&start] = {0, 0};
    ClockCount end{-1, 0};
    for (const BasicBlock* block : order_) {
      const auto found = reached.find(block);
      if (found == reached.end() || (loop && !loop->contains(block))) continue;
      const llvm::Loop* inner = loops_.getLoopFor(block);
      ClockCount now = found->second;
      if (inner != loop) {
        if (inner->getHeader() != block) continue;
        now = add(now, whole(*inner));
        llvm::SmallVector<BasicBlock*> exits;
        inner->getUniqueExitBlocks(exits);
        for (const BasicBlock* exit : exits) reach(*exit, now, start, loop, reached, end);
        continue;
      }
      now = add(now, own(*block));
      const auto* last = block->getTerminator();
      if (last->getNumSuccessors() == 0) join(end, now);
      for (const BasicBlock* next : llvm::successors(block)) {
        reach(*next, now, start, loop, reached, end);
      }
    }
    return end;
  }

 private:
  static ClockCount add(const ClockCount& a, const ClockCount& b) {
    ClockCount sum{a.least + b.least, std::nullopt};
    if (a.most && b.most) sum.most = *a.most + *b.most;
    return sum;
  }
  static void join(ClockCount& into, const ClockCount& other) {
    if (into.least < 0) {
      into = other;
      return;
    }
    into.least = std::min(into.least, other.least);
    into.most =
        into.most && other.most ? std::optional(std::max(*into.most, *other.most)) : std::nullopt;
  }
  void reach(const BasicBlock& next, const ClockCount& now, const BasicBlock& start,
             const llvm::Loop* loop, std::map<const BasicBlock*, ClockCount>& reached,
             ClockCount& end) {
    if (loop && (&next == &start || !loop->contains(&next))) {
      if (&next == &start) join(end, now);
      return;
    }
    const auto [found, is_new] = reached.try_emplace(&next, now);
    if (!is_new) join(found->second, now);
  }

  ClockCount own(const BasicBlock& block) const {
    const auto found = blocks_.find(&block);
    const std::int64_t clocks = found == blocks_.end() ? 0 : found->second.length;
    return {clocks, clocks};
  }

  /// All iterations of a loop.
  ClockCount whole(const llvm::Loop& loop) {
    const bool ends_at_latch =
        loop.getExitingBlock() && loop.getExitingBlock() == loop.getLoopLatch();
    const std::int64_t trips = ends_at_latch ? trip_count(loop) : 0;
    const std::int64_t most = trips > 0 ? trips : most_trips(loop);
    const auto found = blocks_.find(loop.getHeader());
    if (loop.getNumBlocks() == 1 && found != blocks_.end() && found->second.overlaps()) {
      const BlockSchedule& schedule = found->second;
      ClockCount count{schedule.length, std::nullopt};
      const auto clocks = [&](std::int64_t n) {
        return schedule.length + (n - 1) * schedule.interval;
      };
      if (trips > 0) count.least = clocks(trips);
      if (most > 0) count.most = clocks(most);
      return count;
    }
    const ClockCount once = region(*loop.getHeader(), &loop);
    ClockCount count{trips > 0 ? once.least * trips : own(*loop.getHeader()).least, std::nullopt};
    if (once.most && most > 0) count.most = *once.most * most;
    return count;
  }

  const std::map<const BasicBlock*, BlockSchedule>& blocks_;
  llvm::LoopInfo& loops_;
  std::vector<const BasicBlock*> order_;
};

}  // namespace

ClockCount count_clocks(const llvm::Function& body,
                        const std::map<const BasicBlock*, BlockSchedule>& blocks,
                        KernelAnalyses& analyses) {
  Counter counter(body, blocks, analyses);
  ClockCount count = counter.region(body.getEntryBlock(), nullptr);
  // One clock more until done_o shows it.
  count.least += 1;
  if (count.most) *count.most += 1;
  return count;
}

}  // namespace systole::compiler
