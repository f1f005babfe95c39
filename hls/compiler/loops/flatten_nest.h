#pragma once

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class Loop;
class LoopInfo;
}  // namespace llvm

namespace systole::compiler {

/// A loop of one block, and the loop that consists of it, one block before and one after.
struct Nest {
  llvm::BasicBlock* before = nullptr;  ///< the outer loop's header
  llvm::BasicBlock* inner = nullptr;
  llvm::BasicBlock* after = nullptr;  ///< the outer loop's latch and only way out
};

/// The nests of this shape, in the order of their loops. Merges blocks of one way first.
std::vector<Nest> nests_of(llvm::Function& function);

/// Makes one loop of a nest. What stood before the inner loop counts in its first iteration, what
/// stood after it in its last; a word that was read before it is kept in between. The inner loop's
/// choices start again after its last iteration: sums of products in the first one instead, and not
/// at all where the outer loop only hands on the last value.
///
/// before  outer: %i = phi ...              after  flat: %i = phi ...
///                %x = read(0, %i)                       %k = phi [0], [select %done, 0, %k.next]
///         inner: %k = phi [0] ...                       %x = select %first, read(0, %i), %kept
///                %k.next = add %k, 1                    %k.next = add %k, 1
///         after: write(1, %i, %y)                       %done = icmp eq %k.next, 16
///                                                       write(1, %i, %y) if %done
void flatten(const Nest& nest);

}  // namespace systole::compiler
