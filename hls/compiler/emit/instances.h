#pragma once

#include <map>
#include <string>
#include <vector>

#include "hls/compiler/emit/expression.h"
#include "hls/compiler/emit/names.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/verilog/statement.h"

namespace systole::compiler {

/// A submodule as its parent instantiates it.
struct ChildModule {
  std::string name;        ///< of the SystemVerilog module
  std::string parameters;  ///< "#(.Width(512), .Depth(512)) " or ""
  bool has_reset = false;
  /// For a thread, whose ports are named after its parameters; other submodules use the parent's
  /// names.
  std::vector<std::string> input_names = {};
  std::vector<std::string> output_names = {};
};

/// The names of a submodule and of its output wires in its parent.
struct InstanceNames {
  std::string name;
  std::vector<std::string> outputs;
};

/// Names every submodule and its outputs, by index into the module's state.
std::map<int, InstanceNames> name_instances(const LoweredModule& module, Names& names);

/// The instances and the wires at their inputs.
void emit_instances(const LoweredModule& module, const std::map<int, ChildModule>& children,
                    const std::map<int, InstanceNames>& instances, const ExpressionBuilder& printer,
                    Names& names, sv::Statements& out);

}  // namespace systole::compiler
