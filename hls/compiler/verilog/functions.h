#pragma once

#include "hls/compiler/verilog/module.h"

namespace systole::compiler::sv {

/// Writes an expression of one value that stands at several places, each time of another value, as
/// a function, which is named after a signal or variable that holds such an expression in `named`.
///
///     kind = word[1*8 +: 8] ...         function automatic logic kind_of(input logic [7:0] value);
///     x <= word[2*8 +: 8] ...      ->   kind = kind_of(word[1*8 +: 8]);
///                                       x <= kind_of(word[2*8 +: 8]);
///
/// Limits   expressions of three operators and more; not in a loop over lanes, which would not
///          become vector code
Module with_functions(Module module, const Module& named);

/// Where a module declares its functions.
Statements& functions_part(Module& module);

}  // namespace systole::compiler::sv
