#pragma once

#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Inlines calls of other structs' edges, except a lone submodule's; returns whether there were
/// any.
///
/// Errors   Refusal for a clock() that calls itself
bool inline_lanes(llvm::Function& edge, const std::vector<Leaf>& state);

/// Inlines calls through pointers that turned out to be constant; returns whether there were any.
/// Recursion and other structs' edges stay.
bool inline_late_calls(llvm::Function& function);

}  // namespace systole::compiler
