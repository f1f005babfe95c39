#pragma once

#include <map>
#include <vector>

#include "hls/compiler/schedule/delay_model.h"

namespace llvm {
class Function;
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// A straight-line function cut into pipeline stages.
struct Schedule {
  int stages = 1;
  double slowest_ns = 0;  ///< of the slowest stage, by the delay model
  std::vector<double> stage_ns;
  std::vector<std::vector<llvm::Value*>> registers;  ///< behind each stage but the last
  std::map<const llvm::Instruction*, int> stage_of;

  int register_bits() const;
};

/// Cuts the function's one block into exactly `stages` stages, the slowest as fast as the model
/// allows, then moves operations between stages while that saves register bits.
///
/// Errors   Refusal for stages < 1
Schedule cut_into_stages(llvm::Function& function, int stages, const DelayModel& model);

/// The fewest stages that are no slower than `period_ns` by the model.
///
/// Errors   Refusal that names the slowest operation where even one operation a stage is too slow
Schedule least_stages(llvm::Function& function, double period_ns, const DelayModel& model);

/// Checks what cut_into_stages promises: every operand is computed in the same or an earlier stage,
/// and no stage is slower than the schedule says. Throws std::logic_error, the compiler's own
/// fault.
void verify_schedule(const llvm::Function& function, const Schedule& schedule,
                     const DelayModel& model);

}  // namespace systole::compiler
