#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "hls/compiler/ir/lowered_kernel.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/schedule/stages.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace systole::compiler {

/// A unit's function, cut into its stages.
struct UnitFunction {
  std::shared_ptr<llvm::Module> program;
  LoweredFunction function;
  Schedule schedule;
};

/// Decides what each unit of a kernel is. Products that take longer than a clock become calls of
/// units; a division is a pipeline of as many stages as the clock needs where a loop's iterations
/// overlap around it, and one bit a clock elsewhere, or if it is among `iterative`. Writes latency
/// and occupancy into every call.
///
/// Returns the functions of the pipelined units, by number
std::map<int, UnitFunction> plan_units(LoweredKernel& kernel, const llvm::Module& source,
                                       const DelayModel& model, double clock_ns, bool overlaps,
                                       const std::set<int>& iterative);

}  // namespace systole::compiler
