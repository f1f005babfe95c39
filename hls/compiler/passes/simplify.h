#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Promotes local memory to values and simplifies. Keeps loops and their order.
void tidy(llvm::Function& function);

/// Promotes local memory to values; keeps every branch.
void promote_locals(llvm::Function& function);

/// Turns switches into branches.
void lower_switches(llvm::Function& function);

/// The full clean-up of a function without pointers: combine_values, select_joins, settle_choices.
void simplify(llvm::Function& function);

/// Combines instructions, removes unused ones, and canonicalises loops.
void combine_values(llvm::Function& function);

/// Combines the selects that select_joins made, and promotes memory that became values.
void settle_choices(llvm::Function& function);

/// Combines instructions and folds constants; for pointer-free code that analyses will follow.
void combine(llvm::Function& function);

/// Folds what is constant whatever way is taken, and drops what nothing reaches.
void propagate_constants(llvm::Function& function);

/// Removes dead, duplicate and trivial instructions; changes no widths.
void clean_up(llvm::Function& function);

/// Sets LLVM's options for hardware: branches always become selects, forced unrolling has no limit.
/// The first call of a process does it.
void configure_llvm();

}  // namespace systole::compiler
