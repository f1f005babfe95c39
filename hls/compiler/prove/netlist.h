#pragma once

#include <map>
#include <string>
#include <vector>

#include "hls/compiler/prove/arithmetic.h"

namespace systole::compiler {

/// A module from Yosys' BTOR2 form: words, operators and registers.
///
/// Errors   Refusal for a memory, or an operator that no generated pipeline has
class Netlist {
 public:
  explicit Netlist(const std::string& btor);

  struct Port {
    std::string name;
    unsigned width = 0;
  };
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  int register_bits() const;

 private:
  friend class NetlistRun;
  struct Line {
    std::string operation;
    unsigned width = 0;
    std::vector<long> numbers = {};  ///< operands, then the numbers that follow them
    std::string text = {};           ///< a constant's digits
  };
  std::map<long, Line> lines_;
  std::map<long, long> next_;  ///< state -> its next value
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::map<std::string, long> output_lines_;
  std::map<long, std::string> input_names_;
};

/// Unrolls the netlist clock by clock, from arbitrary registers at clock 0.
class NetlistRun {
 public:
  NetlistRun(const Netlist& netlist, Circuit& circuit);

  /// Sets an input port's value at a clock; ports not set are arbitrary.
  void set_input(const std::string& name, int clock, const Bits& bits);
  Bits output(const std::string& name, int clock);

 private:
  Bits word(long line, int clock);
  Bits evaluate(const Netlist::Line& line, long number, int clock);
  Bits operand(long line, int clock);

  const Netlist& netlist_;
  Circuit& circuit_;
  Arithmetic gates_;
  std::map<std::pair<std::string, int>, Bits> input_bits_;
  std::map<std::pair<long, int>, Bits> known_;
};

}  // namespace systole::compiler
