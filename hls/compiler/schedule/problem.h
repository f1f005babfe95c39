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

/// The operations of one block in order, and how long stages of them take.
class Problem {
 public:
  Problem(llvm::Function& function, const DelayModel& model);

  const std::vector<llvm::Instruction*>& operations() const { return operations_; }
  const DelayModel& model() const { return model_; }

  static bool is_argument(const llvm::Instruction& operation);
  static bool is_result(const llvm::Instruction& operation);

  /// Every operation in its stage.
  StageLogic logic(const StageOf& stage_of) const;

  /// How long the operation takes alone, from registers.
  double alone_ns(const llvm::Instruction& operation) const;

  /// Each operation as soon as its operands and `period_ns` allow: the oracle for cleverer cuts.
  struct Attempt {
    int stages = 0;  ///< 0 where one operation alone takes longer
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

/// Moves operations between stages so that the registers get as few bits as the period allows.
/// Arguments stay in stage 0 and results in the last. Never more bits than at first.
///
/// before  stage 0: %wide = shl %x, 4   stage 1: add %wide, %y
/// after   stage 1: both; %x is registered instead of %wide
///
/// Numbers  the least number of bits where the delay of a path does not depend on what else is in
///          its stage; sharing of look-up tables is only then not exactly so
StageOf fewest_register_bits(const Problem& problem, int stages, double period_ns,
                             const StageOf& start);

}  // namespace systole::compiler
