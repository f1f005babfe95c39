#pragma once

#include "hls/compiler/verilog/module.h"

namespace systole::compiler::sv {

/// Writes equal submodules whose names end in 0, 1, 2 and so on as a `generate`; their outputs
/// become vectors, and so do inputs that do not follow from the index.
///
///     logic [7:0] fifo0_data, fifo1_data,       logic [23:0] fifo_data;
///         fifo2_data;                           for (genvar i = 0; i < 3; i++)
///     fifo u_fifo0 (                            begin : gen_fifo
///       .pop_i(number == 2'd0),             ->    fifo u_fifo (
///       .data_o(fifo0_data)                         .pop_i(number == 2'(i)),
///     );                                            .data_o(fifo_data[i*8 +: 8])
///     ...                                         );
///                                               end
///
/// Limits   three submodules and more
Module with_instance_arrays(Module module);

}  // namespace systole::compiler::sv
