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

/// The slowest path through one stage.
struct StagePath {
  std::vector<const llvm::Instruction*> operations;  ///< in order, from the registers
  int tables = 0;
  int extra_inputs = 0;
  int chains = 0;
  int carry_bits = 0;
  int multipliers = 0;
};

/// A pipeline's parts by the model, result register included.
struct AreaEstimate {
  int tables = 0;      ///< look-up tables of logic
  int carry_bits = 0;  ///< bits of carry chains
  int multipliers = 0;
  int flip_flops = 0;
};

/// A straight-line function cut into pipeline stages.
struct Schedule {
  int stages = 1;
  double slowest_ns = 0;  ///< of the slowest stage, by the delay model
  std::vector<double> stage_ns;
  std::vector<std::vector<llvm::Value*>> registers;  ///< after each stage but the last
  std::map<const llvm::Instruction*, int> stage_of;

  /// When each operation is done, from its stage's start.
  std::map<const llvm::Instruction*, double> done_ns;
  std::vector<StagePath> paths;  ///< one a stage
  AreaEstimate area;

  int register_bits() const;
};

/// Cuts the function's one block into exactly `stages` stages: with the fastest slowest stage that
/// the model allows and, among those cuts, the fewest register bits.
///
/// Errors   Refusal for stages < 1
Schedule cut_into_stages(llvm::Function& function, int stages, const DelayModel& model);

/// The fewest stages within `period_ns` by the model, with the fewest register bits that this
/// period allows.
///
/// Errors   Refusal naming the slowest operation if even one operation per stage is too slow
Schedule least_stages(llvm::Function& function, double period_ns, const DelayModel& model);

/// Verifies cut_into_stages: every operand is computed in the same or an earlier stage, every value
/// that crosses a stage has its register, and no stage is slower than scheduled. Throws
/// std::logic_error, the compiler's own fault.
void verify_schedule(const llvm::Function& function, const Schedule& schedule,
                     const DelayModel& model);

}  // namespace systole::compiler
