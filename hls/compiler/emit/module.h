#pragma once

#include <map>
#include <string>

#include "hls/compiler/emit/instances.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/schedule/stages.h"

namespace systole::compiler {

/// The facts in a generated file's header.
struct ModuleText {
  std::string name;
  std::string source_file;  ///< as given on the command line
  std::string top;          ///< the C++ type
  std::string version;
  std::string about = "";  ///< lines after the first, for a module that is no clock()
};

/// Prints a clocked module as a SystemVerilog file.
///
/// Limits   every output and submodule input is a function of ports, registers and submodule
///          outputs; an array element that it reads is mirrored in a register of its own
/// Errors   Refusal with a source position
std::string emit_module(const LoweredModule& module, const ModuleText& text,
                        const std::map<int, ChildModule>& children,
                        const std::map<int, LoweredFunction>& functions,
                        const std::map<int, Schedule>& schedules);

}  // namespace systole::compiler
