#pragma once

#include <memory>

namespace llvm {
class Module;
}

namespace systole::compiler {

/// Refuses an index that is a constant once loops are written out and lies outside its array. In
/// one dimension of several, or at the end of a member, such an access falls on another element, so
/// that nothing later sees it.
///
/// `program` holds the tests that clang puts before array accesses (-fsanitize=array-bounds); it is
/// a copy of what the modules are made from, and used up. An index that depends on registers or
/// ports is lower_accesses' to prove.
///
/// Errors   Refusal at the index, with its value and the array's length
void check_constant_indices(std::unique_ptr<llvm::Module> program);

/// Removes those tests.
void drop_index_tests(llvm::Module& program);

}  // namespace systole::compiler
