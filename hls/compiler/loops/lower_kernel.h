#pragma once

#include <string>

#include "hls/compiler/ir/lowered_kernel.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace systole::compiler {

/// Lowers `Kernel<&f>::run` to loops and branches of operations on memories and ports. Changes
/// `program`, clang's output.
///
/// Errors   Refusal with the position of a construct outside the language
LoweredKernel lower_kernel(llvm::Module& program, const std::string& run);

}  // namespace systole::compiler
