// systole_register_slice keeps every word, in order, and holds two.
module register_slice_properties (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       watch_i,
  input logic       push_valid_i,
  input logic [1:0] push_data_i,
  input logic       pop_ready_i
);

  logic push_ready, pop_valid;
  logic [1:0] pop_data;
  systole_register_slice #(.Width(2)) u_dut (
    .clk_i, .rst_ni, .push_valid_i, .push_ready_o(push_ready), .push_data_i,
    .pop_valid_o(pop_valid), .pop_ready_i, .pop_data_o(pop_data)
  );
  stream_order #(.Width(2), .Capacity(2)) u_order (
    .clk_i, .rst_ni, .watch_i, .push_valid_i, .push_ready_i(push_ready), .push_data_i,
    .pop_valid_i(pop_valid), .pop_ready_i, .pop_data_i(pop_data)
  );

endmodule
