#pragma once

#include <string>

namespace llvm {
class Instruction;
}

namespace systole::compiler {

/// Estimated delays of a target, in nanoseconds, logic and typical routing together.
struct DelayModel {
  std::string target;
  double level_ns = 0;     ///< one look-up table and the wire to it
  double carry_ns = 0;     ///< one bit of a carry chain
  double multiply_ns = 0;  ///< one multiplier block
  double register_ns = 0;  ///< clock to output plus set-up, paid once per stage
  int lut_inputs = 6;

  /// 0 for what is only wires: constant shifts, cuts, extensions.
  double delay_of(const llvm::Instruction& instruction) const;
};

/// The model used when no target is named: a mid-range 6-input FPGA. Estimates, not yet calibrated
/// against synthesis.
DelayModel generic_delay_model();

}  // namespace systole::compiler
