#pragma once

#include <map>
#include <string>

#include "hls/compiler/emit/header.h"
#include "hls/compiler/emit/instances.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/schedule/stages.h"
#include "hls/compiler/verilog/module.h"

namespace systole::compiler {

/// A clocked module in SystemVerilog.
///
/// Limits   every output and submodule input is a function of ports, registers and submodule
///          outputs; an array element that it reads is mirrored in a register of its own
/// Errors   Refusal with a source position
sv::Module emit_module(const LoweredModule& module, const ModuleText& text,
                       const std::map<int, ChildModule>& children,
                       const std::map<int, LoweredFunction>& functions,
                       const std::map<int, Schedule>& schedules);

}  // namespace systole::compiler
