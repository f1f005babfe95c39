#pragma once

#include <string>
#include <vector>

#include "hls/compiler/emit/names.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/verilog/statement.h"

namespace systole::compiler {

/// A stream at a module's boundary: a Beat one way and its ready the other, as indices into the
/// module's inputs and outputs.
struct PortStream {
  std::string name;     ///< "sum_in"
  std::string element;  ///< its element type, "UInt<8>"
  bool is_output = false;
  int valid = -1;
  std::vector<int> data;
  int ready = -1;
};

/// The names of a module's ports, and which of them are streams.
class Ports {
 public:
  Ports(const LoweredModule& module, Names& names);

  const std::string& input(int leaf) const { return inputs_[leaf]; }
  const std::string& output(int leaf) const { return outputs_[leaf]; }
  const std::vector<PortStream>& streams() const { return streams_; }

  /// The list of ports, with each stream's ports together under a comment. Inputs and outputs each
  /// keep the order of their struct.
  sv::Statements declarations() const;

  /// Assertions that a stream's beat stays until it is taken; nothing if there is nothing to
  /// assert. A stream whose output depends on inputs in the same clock promises that only while the
  /// incoming streams keep the rule themselves.
  ///
  /// Limits   modules with a reset, since the initial state is unknown without one
  sv::Statements rules(Names& names) const;

 private:
  void find_streams();
  bool depends_on_inputs(const PortStream& stream) const;
  sv::Expression data_of(const PortStream& stream) const;

  const LoweredModule& module_;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  std::vector<PortStream> streams_;
};

}  // namespace systole::compiler
