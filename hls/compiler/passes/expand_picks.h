#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

class RangeChecks;

/// Local arrays that a variable indexes, and constant tables, become values: a read picks one of
/// all elements, a write chooses for each element whether it is the one.
///
/// before  %p = getelementptr [4 x i8], ptr %v, i64 0, i64 %i
///         %x = load i8, ptr %p
/// after   %e0 = load i8, ptr %v ...
///         %x = call i8 @pick(%i, %e0, ...)
///
/// Returns  whether it found one
/// Errors   Refusal for an index that may leave its array (when the checks are settled), and for an
///          array of more elements than a multiplexer should have
bool expand_picks(llvm::Function& function, RangeChecks& checks);

/// The same until none is left, with the checks settled. Leaves a function without such accesses
/// alone.
void expand_all_picks(llvm::Function& function);

/// Replaces a pick whose index has become constant by its element.
///
/// before  %x = call i8 @pick(i1 1, i8 %a, i8 %b)    after  (%b itself)
void fold_picks(llvm::Function& function);

}  // namespace systole::compiler
