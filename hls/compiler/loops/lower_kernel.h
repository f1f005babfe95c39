#pragma once

#include <compare>
#include <set>
#include <string>

#include "hls/compiler/ir/lowered_kernel.h"

namespace llvm {
class DISubprogram;
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// The function that the user wrote: f of `Kernel<&f>::run`, or the body's own.
const llvm::DISubprogram& source_of_kernel(const llvm::Function& body);

/// What each run of a function starts with, by its parameters' names.
struct KernelStart {
  std::set<std::string> zeros = {};    ///< arrays that are all zeros
  std::set<std::string> emptied = {};  ///< streams without what the last run has left
  auto operator<=>(const KernelStart&) const = default;
};

/// Lowers `Kernel<&f>::run`, or a function f whose parameters are all pointers to clang, to loops
/// and branches of operations on memories and ports. Changes `program`, clang's output.
///
/// Errors   Refusal with the position of a construct outside the language
LoweredKernel lower_kernel(llvm::Module& program, const std::string& run,
                           const KernelStart& start = {});

}  // namespace systole::compiler
