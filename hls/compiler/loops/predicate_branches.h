#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Turns branches without loops in them into choices: the arms are computed side by side, and a
/// write to a memory gets the branch's condition as its enable. Inside innermost loops all of them,
/// elsewhere those whose arms read no memory.
///
/// before  br %c, %then, %end                          after  hls.memory_write(0, %a, %v, %c)
///         then: hls.memory_write(0, %a, %v, true)            %x = select %c, %p, %q
///         end:  %x = phi [%p, %then], [%q, ...]
void predicate_branches(llvm::Function& function);

/// The same for all branches of an innermost loop that is left in one place, whatever their shape:
/// the loop becomes one block.
void predicate_loops(llvm::Function& function);

/// Gives a loop's counter the bits that it needs.
///
/// before  %i = phi i32 [0, ...], [%next, ...]; %next < 64    after  %i = phi i6 ...
void narrow_counters(llvm::Function& function);

/// Gives every sum and product the bits of the values that it can have.
void narrow_by_ranges(llvm::Function& function);

}  // namespace systole::compiler
