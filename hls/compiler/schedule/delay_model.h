#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace systole::compiler {

/// The speed and size of a target's parts. Delays are nanoseconds and include typical routing;
/// logic is counted after packing into look-up tables (bit_network.h).
struct DelayModel {
  std::string target;
  std::string origin;  ///< source of the delays, for reports

  double lut_ns = 0;       ///< one look-up table and the wire to it
  double wide_ns = 0;      ///< more for each input above native_inputs
  double chain_ns = 0;     ///< into and out of a carry chain, with the wire to it
  double carry_ns = 0;     ///< along one bit of a carry chain
  double multiply_ns = 0;  ///< one multiplier block and the wires to it
  double register_ns = 0;  ///< clock to output, set-up, paid once per stage
  double memory_ns = 0;    ///< more than a register's clock to output, of a block RAM
  double fanout_ns = 0;    ///< for each doubling of the loads of a wire above kLoadsOfAnOperator

  double far_ns = 0;  ///< more for a wire to or from a multiplier in a whole module

  int native_inputs = 6;           ///< of one look-up table
  int widest_inputs = 6;           ///< of tables joined by adjacent multiplexers
  bool chain_after_lut = true;     ///< an adder's operands meet in a table before the chain
  int compare_bits_per_carry = 1;  ///< bits of a comparison that one bit of the chain decides
  int least_chain_bits = 3;        ///< shorter sums are logic
  int multiplier_a_bits = 25;      ///< widths of a multiplier block, signed
  int multiplier_b_bits = 18;
  int least_product_bits = 9;  ///< narrower products are logic

  double lut_scale = 1;  ///< synthesised tables per table of the model

  /// The wire's longer way to many loads. Pipelines are cut without it: their registers follow the
  /// cut.
  double load_ns(int loads) const {
    return loads <= kLoadsOfAnOperator ? 0
                                       : fanout_ns * std::log2(double(loads) / kLoadsOfAnOperator);
  }
  static constexpr int kLoadsOfAnOperator = 4;  ///< what the delays above were fitted with

  /// Tables and wire for a function of `inputs` signals.
  double table_ns(int inputs) const {
    return lut_ns + (inputs > native_inputs ? wide_ns * (inputs - native_inputs) : 0);
  }
  /// Look-up tables for a function of `inputs` signals.
  int table_area(int inputs) const {
    return inputs > native_inputs ? 1 << (inputs - native_inputs) : 1;
  }
};

/// The model of a target.
///
/// Errors   Refusal listing the targets, for an unknown name
DelayModel delay_model(const std::string& target);

/// "generic", "ecp5", ...
std::vector<std::string> targets();

/// The model used when no target is named.
DelayModel generic_delay_model();

}  // namespace systole::compiler
