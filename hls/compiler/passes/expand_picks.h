#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

class RangeChecks;

/// Turns local arrays with a variable index, and constant tables, into values: a read picks one of
/// all elements, a write selects for each element whether it is the one.
///
/// before  %p = getelementptr [4 x i8], ptr %v, i64 0, i64 %i
///         %x = load i8, ptr %p
/// after   %e0 = load i8, ptr %v ...
///         %x = call i8 @pick(%i, %e0, ...)
///
/// Returns  whether there were any
/// Errors   Refusal for an index that may leave its array (when the checks are settled), and for an
///          array of more elements than a multiplexer should have
bool expand_picks(llvm::Function& function, RangeChecks& checks);

/// Repeats until none is left, with the checks settled. Does not change a function without such
/// accesses.
void expand_all_picks(llvm::Function& function);

/// Replaces a pick whose index has become constant by its element, and what follows from it by its
/// constant; whether there was one.
///
/// before  %x = call i8 @pick(i1 1, i8 %a, i8 0)    %t = icmp uge i8 %c, %x
/// after   (0 and true themselves)
bool fold_picks(llvm::Function& function);

}  // namespace systole::compiler
