#pragma once

#include "hls/compiler/verilog/module.h"

namespace systole::compiler::sv {

/// Registers that become zero together are written in one statement.
///
///     if (!rst_ni) begin               if (!rst_ni) begin
///       valid_q <= 1'b0;                 {valid_q, count_q} <= 5'd0;
///       last_q <= 1'b1;          ->      last_q <= 1'b1;
///       count_q <= 4'd0;               end
///     end
///
/// Limits   whole registers, written with `<=`, between which only constants are written; as many
///          in a statement as three lines hold
Module with_joined_zeros(Module module);

}  // namespace systole::compiler::sv
