#pragma once

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace systole::compiler {

/// What a loop that may end early promises of the iterations up to its bound.
enum class EarlyExits {
  kTrusted,  ///< it ends before an index leaves its array, as in C++: functions over arrays
  kProved,   ///< nothing: that it does must follow from its tests
};

/// Refuses an index that is constant once loops are unrolled and lies outside its array. In one of
/// several dimensions, or at the end of a member, such an access hits another element, so no later
/// check sees it.
///
/// `program` has clang's tests before array accesses (-fsanitize=array-bounds); it is a copy that
/// the check consumes. lower_accesses proves indices that depend on registers or ports. `roots` are
/// functions that are looked at beside the edges of modules and pipelines.
///
/// Errors   Refusal at the index, with its value and the array's length
void check_constant_indices(std::unique_ptr<llvm::Module> program, EarlyExits exits,
                            const std::vector<std::string>& roots = {});

/// Removes those tests.
void drop_index_tests(llvm::Module& program);

}  // namespace systole::compiler
