#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Tests the elements that a walking pointer reads and writes, which clang's tests of indices leave
/// out. Beyond the end of an array LLVM takes any value for them.
///
///   before   for (p = array + 4; p > array; --p) sum += *p;
///   after    call void @hls.check(4, %index)    ahead of each access, for an array of 4 elements
///
/// `function` has no calls left but edges, and its locals are still in memory. What is no element
/// of one array of a known length, as behind a pointer to one of two arrays, gets no test.
void test_walked_elements(llvm::Function& function);

}  // namespace systole::compiler
