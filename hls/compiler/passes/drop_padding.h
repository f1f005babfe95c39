#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace llvm {
class Function;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// Drops the copies of bytes between elements, which clang makes when it copies a struct in pieces.
/// `leaves_of` gives the elements behind a pointer argument, or null.
///
/// before  %pad = load i8, ptr (%beat + 5)     after  (nothing)
///         store i8 %pad, ptr (%out + 5)
void drop_padding(llvm::Function& function,
                  llvm::function_ref<const std::vector<Leaf>*(const llvm::Value& base)> leaves_of);

}  // namespace systole::compiler
