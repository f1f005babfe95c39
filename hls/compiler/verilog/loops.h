#pragma once

#include "hls/compiler/verilog/module.h"

namespace systole::compiler::sv {

/// Writes what differs only by an index as a loop: statements of a process, which simulators take
/// apart again (cmake/for_verilator.sh); connections, in a `generate`; and nets, which become one
/// vector.
///
///     x_q[0] <= a ? b[0*8 +: 8] : y[3];    for (int unsigned i = 0; i < 4; i++)
///     x_q[1] <= a ? b[1*8 +: 8] : y[2];     begin : each_x
///     x_q[2] <= a ? b[2*8 +: 8] : y[1];  ->   x_q[i] <= a ? b[i*8 +: 8] : y[3 - i];
///     x_q[3] <= a ? b[3*8 +: 8] : y[0];     end
///
/// A number follows from the index i as `i*a + b`, `i ^ a`, or a polynomial of second degree. A net
/// that is read once, or whose value is short, may stand as its value; a constant that one bit
/// switches on may be missing where it is 0.
///
/// Limits   three statements or nets and more, in the order of the index; nets that are named alike
Module with_loops(Module module);

}  // namespace systole::compiler::sv
