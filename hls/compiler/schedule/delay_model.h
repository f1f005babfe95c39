#pragma once

#include <string>
#include <vector>

namespace systole::compiler {

/// How fast and how large a target's parts are. Delays are nanoseconds and include typical routing;
/// logic is counted after it has been packed into look-up tables (bit_network.h).
struct DelayModel {
  std::string target;
  std::string origin;  ///< where the delays come from, for reports

  double lut_ns = 0;       ///< one look-up table and the wire to it
  double wide_ns = 0;      ///< more for each input above native_inputs
  double chain_ns = 0;     ///< into a carry chain and out of it, with the wire to it
  double carry_ns = 0;     ///< along one bit of a carry chain
  double multiply_ns = 0;  ///< one multiplier block and the wires to it
  double register_ns = 0;  ///< clock to output, set-up, paid once per stage

  int native_inputs = 6;           ///< of one look-up table
  int widest_inputs = 6;           ///< of tables joined by multiplexers next to them
  bool chain_after_lut = true;     ///< an adder's operands meet in a table before the chain
  int compare_bits_per_carry = 1;  ///< bits of a comparison that one bit of the chain decides
  int least_chain_bits = 3;        ///< shorter sums are logic
  int multiplier_a_bits = 25;      ///< widths of a multiplier block, signed
  int multiplier_b_bits = 18;
  int least_product_bits = 9;  ///< narrower products are logic

  double lut_scale = 1;  ///< tables that synthesis needs for one table of the model

  /// Tables and wire for a function of `inputs` signals.
  double table_ns(int inputs) const {
    return lut_ns + (inputs > native_inputs ? wide_ns * (inputs - native_inputs) : 0);
  }
  /// Look-up tables that a function of `inputs` signals takes.
  int table_area(int inputs) const {
    return inputs > native_inputs ? 1 << (inputs - native_inputs) : 1;
  }
};

/// The model of a target.
///
/// Errors   Refusal that lists the targets for a name that is none
DelayModel delay_model(const std::string& target);

/// "generic", "ecp5", ...
std::vector<std::string> targets();

/// The model used when no target is named.
DelayModel generic_delay_model();

}  // namespace systole::compiler
