#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Turns pointers that walk through an array into indices: constructors of arrays and loops
/// `for (auto& x : array)` have them.
///
/// before  %p = phi ptr [%a, ...], [%n, ...]        after  %i = phi i64 [0, ...], [%j, ...]
///         %n = getelementptr i8, ptr %p, 1                 %p = getelementptr i8, ptr %a, %i
///         %e = icmp eq ptr %n, getelementptr(%a, 50)       %j = add %i, 1; %e = icmp eq %j, 50
void index_pointers(llvm::Function& function);

}  // namespace systole::compiler
