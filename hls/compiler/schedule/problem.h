#pragma once

#include <map>
#include <vector>

#include "hls/compiler/schedule/delay_model.h"
#include "hls/compiler/schedule/stage_logic.h"

namespace llvm {
class Function;
class Instruction;
}  // namespace llvm

namespace systole::compiler {

using StageOf = std::map<const llvm::Instruction*, int>;

/// The operations of one block in order, and the delays of stages of them.
class Problem {
 public:
  Problem(llvm::Function& function, const DelayModel& model);

  const std::vector<llvm::Instruction*>& operations() const { return operations_; }
  const DelayModel& model() const { return model_; }

  static bool is_argument(const llvm::Instruction& operation);
  static bool is_result(const llvm::Instruction& operation);

  /// Every operation in its stage.
  StageLogic logic(const StageOf& stage_of) const;

  /// The operation's delay alone, from registers.
  double alone_ns(const llvm::Instruction& operation) const;

  /// Schedules each operation as soon as its operands and `period_ns` allow: the oracle for other
  /// cuts.
  struct Attempt {
    int stages = 0;  ///< 0 if one operation alone takes longer
    double slowest_ns = 0;
    StageOf stage_of;
  };
  Attempt as_soon_as_possible(double period_ns) const;

 private:
  const DelayModel& model_;
  std::vector<llvm::Instruction*> operations_;
};

/// Bits of registers after all stages: each value from where it is computed to its last use.
int register_bits(const Problem& problem, const StageOf& stage_of);

/// Moves operations between stages to the fewest register bits that the period allows. Arguments
/// stay in stage 0 and results in the last. Never increases the bits.
///
/// before  stage 0: %wide = shl %x, 4   stage 1: add %wide, %y
/// after   stage 1: both; %x is registered instead of %wide
///
/// Numbers  the minimum, if a path's delay does not depend on the rest of its stage; sharing of
///          look-up tables makes that inexact
StageOf fewest_register_bits(const Problem& problem, int stages, double period_ns,
                             const StageOf& start);

}  // namespace systole::compiler
