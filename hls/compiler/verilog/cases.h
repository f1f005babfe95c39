#pragma once

#include "hls/compiler/verilog/module.h"

namespace systole::compiler::sv {

/// Writes a choice by the value of one signal as `case`, where three constants and more are named:
/// chains of `else if`, `if`s in a row, and `? :` that a signal is assigned. Also joins an `if`
/// that holds only another one with it.
///
///     if (a == 2'd0) x <= p;                    case (a)
///     else if (a == 2'd1) x <= q;        ->       2'd0: x <= p;
///     else if (a == 2'd2) x <= r;                 2'd1: x <= q;
///                                                 2'd2: x <= r;
///                                                 default: ;
///
/// Limits   not in a loop over lanes, which vectorises as choices; not an `assign` that reads parts
///          of vectors, of which Icarus 11 warns in an always_comb
Module with_cases(Module module);

}  // namespace systole::compiler::sv
