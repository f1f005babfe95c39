#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Values instead of local memory, and what that makes obvious. Keeps the loops and their order.
void tidy(llvm::Function& function);

/// Values instead of local memory, and every branch as it was.
void promote_locals(llvm::Function& function);

/// A switch becomes branches.
void lower_switches(llvm::Function& function);

/// The full clean-up of a function without pointers: combine_values, select_joins, settle_choices.
void simplify(llvm::Function& function);

/// Combines instructions, removes what has no use, and gives loops one form.
void combine_values(llvm::Function& function);

/// Combines what select_joins has made of branches, and makes values of what became a choice.
void settle_choices(llvm::Function& function);

/// Combines instructions and folds what becomes constant, without pointers; for analyses that
/// follow values.
void combine(llvm::Function& function);

/// Removes what is dead, equal or trivially simple, and changes no widths.
void clean_up(llvm::Function& function);

/// LLVM's knobs for hardware: branches always become selects, forced unrolling has no limit. Call
/// once per process.
void configure_llvm();

}  // namespace systole::compiler
