#include "hls/compiler/loops/push_bounds.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/MathExtras.h>

#include <set>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/kernel_analyses.h"
#include "hls/compiler/loops/loop_options.h"

namespace systole::compiler {
namespace {

/// How often a run comes to an instruction at most; 0 if no constant bounds it.
std::int64_t most_times(const llvm::Instruction& instruction, llvm::LoopInfo& loops) {
  std::int64_t times = 1;
  for (const llvm::Loop* loop = loops.getLoopFor(instruction.getParent()); loop;
       loop = loop->getParentLoop()) {
    if (llvm::MulOverflow(times, std::int64_t{most_trips(*loop)}, times)) return 0;
  }
  return times;
}

}  // namespace

std::map<std::string, std::int64_t> most_pushes(const LoweredKernel& kernel) {
  KernelAnalyses analyses(*kernel.body);
  std::map<std::string, std::int64_t> most;
  std::set<std::string> unbounded;
  for (const KernelStream& stream : kernel.streams) {
    if (stream.role == StreamRole::kPort && !stream.is_input) most[stream.element.name] = 0;
  }
  for (const llvm::Instruction& instruction : llvm::instructions(*kernel.body)) {
    if (!is_operation(instruction, Operation::kStreamPush)) continue;
    const KernelStream& stream = kernel.streams[static_cast<std::size_t>(leaf_of(instruction))];
    if (stream.role != StreamRole::kPort) continue;
    const std::int64_t times = most_times(instruction, analyses.loops());
    if (times == 0) unbounded.insert(stream.element.name);
    most[stream.element.name] += times;
  }
  for (const std::string& stream : unbounded) most.erase(stream);
  return most;
}

}  // namespace systole::compiler
