#pragma once

#include <vector>

#include "hls/compiler/dataflow/network.h"
#include "hls/compiler/loops/compile_kernel.h"
#include "hls/compiler/loops/machine.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// A network as a clocked module: an instance for each process, a systole_fifo for each stream, and
/// a systole_ram for each array, of two banks where the processes run more than once. `described`
/// is the dataflow() function.
///
/// Every process counts its runs. One starts its run n when it is idle, run n of all who fill its
/// arrays and set its scalars has ended, run n - banks of all who read the arrays that it fills has
/// ended, and run n - 1 of all who read its scalars has begun. All of that depends on registers
/// alone. Of a stream whose elements depend on data, a run's rest is dropped when its reader has
/// ended, before the writer's next run.
///
/// Errors   Refusal for a parameter that is no array, stream or scalar
Machine build_network(llvm::Module& program, llvm::Function& described, const Network& network,
                      const std::vector<const CompiledKernel*>& processes);

}  // namespace systole::compiler
