#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Counts once what a loop counts twice. LLVM gives an address a counter beside the source's, and
/// in a nest that became one loop neither has a formula; running the loop tells them equal.
///
/// before  %at = phi i8 [0], [%at + 16 after each row]    after  %at = shl (zext %row), 4
///         %a = add (mul %row, 18), %column                      %a = phi i9 [0], [%a + 1]
///
/// The first is a choice that is another one, moved up by some bits, in every iteration. The second
/// is an address that takes more than moving bits, and grows by the same step in every iteration.
///
/// Limits   loops of one block whose length depends on no data
void merge_counters(llvm::Function& function);

}  // namespace systole::compiler
