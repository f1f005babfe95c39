#pragma once

namespace systole::compiler {

struct LoweredModule;

/// Makes outputs() the first thing that clock() does, where the struct shows its outputs apart.
///
/// before  void clock(this, inputs)   void outputs(sret, this)
/// after   void clock(sret, this, inputs) { outputs(sret, this); ... }
///
/// Errors   Refusal for an outputs() that writes a register: it runs any number of times in a clock
void join_outputs(LoweredModule& module);

}  // namespace systole::compiler
