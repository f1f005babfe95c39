#pragma once

namespace systole::compiler {

struct LoweredModule;

/// Refuses a register that matters but can never get a known value. C++ starts it at 0, hardware at
/// any value, and it stays unknown:
///
///   a register that is read, but that neither clock() nor reset() writes
///   a register whose next value always depends on itself, and that nothing resets (a counter)
///
/// A register that an input or condition can set is fine: only the kernel's user can read it too
/// early.
///
/// Limits   run on a lowered module; a register whose next value goes through an array, a submodule
///          or a pipeline counts as settable
/// Errors   Refusal with the position of the member
void check_unknown_registers(const LoweredModule& module);

}  // namespace systole::compiler
