#pragma once

#include "hls/compiler/verilog/module.h"

namespace systole::compiler::sv {

/// Writes a choice of each element of a vector by its number as that element. Elements of a width
/// that is no power of two are chosen in a function: an index by such a width is a multiplication
/// and a shift in Yosys, seven times as many LUTs for four elements of 40 bits.
///
///     n == 2'd1 ? bytes[1*8 +: 8] : ...         bytes[n*8 +: 8]
///     n == 2'd1 ? places[1*40 +: 40] : ...  ->  one_of_4(places, n)
Module with_picks(Module module);

}  // namespace systole::compiler::sv
