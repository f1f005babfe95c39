#pragma once

#include "hls/compiler/verilog/module.h"

namespace systole::compiler::sv {

/// Connects an output of a submodule that is one of the module's to the port.
///
///     logic queue_valid;
///     queue u_queue (.valid_o(queue_valid));   ->   queue u_queue (.valid_o(valid_o));
///     assign valid_o = queue_valid;
///
/// Limits   whole signals that are vectors. Other reads of the signal are then the port's
Module with_direct_outputs(Module module);

/// Registers that are only an output are the port.
///
///     logic done_q;
///     ...
///       done_q <= is_last;      ->   done_o <= is_last;
///     assign done_o = done_q;
///
/// Limits   vectors that nothing else reads, the register itself included
Module with_output_registers(Module module);

/// Nets that are an output are the port.
///
///     wire done = count_q == 4'd0;   ->   assign done_o = count_q == 4'd0;
///     assign done_o = done;
///
/// Limits   whole nets. Other reads of the net are then the port's
Module with_output_nets(Module module);

}  // namespace systole::compiler::sv
