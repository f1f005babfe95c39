#pragma once

namespace systole::compiler {

struct LoweredModule;

/// Refuses a register that matters and can never hold a known value. C++ starts it at 0, hardware
/// at anything, and it stays so:
///
///   a register that is read, but that neither clock() nor reset() writes
///   a register whose next value always depends on itself, and that nothing resets (a counter)
///
/// One that an input or a condition can set is fine: it is read too early only where the kernel is
/// used so.
///
/// Limits   run on a lowered module; a register whose next value goes through an array, a submodule
///          or a pipeline counts as one that can be set
/// Errors   Refusal with the position of the member
void check_unknown_registers(const LoweredModule& module);

}  // namespace systole::compiler
