#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// Inlines every function marked always-inline, everywhere in the module.
void inline_marked(llvm::Module& module);

/// Values instead of local memory, and what that makes obvious. Keeps the loops and their order.
void tidy(llvm::Function& function);

/// Values instead of local memory, and every branch as it was.
void promote_locals(llvm::Function& function);

/// Unrolls completely every loop marked with `llvm.loop.unroll.full`.
void unroll_marked(llvm::Function& function);

/// A switch becomes branches.
void lower_switches(llvm::Function& function);

/// The full clean-up of a function without pointers: combines, converts branches to selects,
/// removes what has no use, narrows.
void simplify(llvm::Function& function);

/// Combines instructions and folds what becomes constant, without pointers; for analyses that
/// follow values.
void combine(llvm::Function& function);

/// Removes what is dead, equal or trivially simple, and changes no widths.
void clean_up(llvm::Function& function);

/// LLVM's knobs for hardware: branches always become selects, forced unrolling has no limit. Call
/// once per process.
void configure_llvm();

}  // namespace systole::compiler
