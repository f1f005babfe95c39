// systole_fifo keeps every word, in order. Two bits stand for any width: no word steers the queue.
module fifo_properties #(
  parameter int Depth = 2
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       watch_i,
  input logic       push_valid_i,
  input logic [1:0] push_data_i,
  input logic       pop_ready_i
);

  logic push_ready, pop_valid;
  logic [1:0] pop_data;
  systole_fifo #(.Width(2), .Depth(Depth)) u_dut (
    .clk_i, .rst_ni, .push_valid_i, .push_ready_o(push_ready), .push_data_i,
    .pop_valid_o(pop_valid), .pop_ready_i, .pop_data_o(pop_data)
  );
  stream_order #(.Width(2), .Capacity(Depth)) u_order (
    .clk_i, .rst_ni, .watch_i, .push_valid_i, .push_ready_i(push_ready), .push_data_i,
    .pop_valid_i(pop_valid), .pop_ready_i, .pop_data_i(pop_data)
  );

endmodule
