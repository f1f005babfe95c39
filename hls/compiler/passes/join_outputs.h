#pragma once

namespace systole::compiler {

struct LoweredModule;

/// Makes outputs() the first thing that clock() does, if the struct has a separate outputs().
///
/// before  void clock(this, inputs)   void outputs(sret, this)
/// after   void clock(sret, this, inputs) { outputs(sret, this); ... }
///
/// Errors   Refusal for an outputs() that writes a register: it may run any number of times per
///          clock
void join_outputs(LoweredModule& module);

}  // namespace systole::compiler
