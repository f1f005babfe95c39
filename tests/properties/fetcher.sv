// The fetcher's bursts on AR: AXI4's rules.
module fetcher_properties (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [35:0]  ring_place_i,  // the ring's base is a multiple of 16
  input logic [3:0]   ring_log2_i,
  input logic [15:0]  ring_tail_i,
  input logic [15:0]  head_i,
  input logic [159:0] windows_base_i,
  input logic [159:0] windows_end_i,
  input logic [3:0]   windows_open_i,
  input logic         stop_i,
  input logic         clear_i,
  input logic         burst_ready_i,
  input logic         read_valid_i,
  input logic [127:0] read_data_i,
  input logic         read_error_i,
  input logic         command_ready_i
);

  logic burst_valid;
  logic [39:0] burst_address;
  logic [7:0] burst_beats_less_one;
  systole_fetcher u_dut (
    .clk_i, .rst_ni, .ring_base_i({ring_place_i, 4'd0}), .ring_log2_i, .ring_tail_i, .head_i,
    .windows_base_i, .windows_end_i, .windows_open_i, .stop_i, .clear_i,
    .burst_valid_o(burst_valid), .burst_ready_i, .burst_data_address_o(burst_address),
    .burst_data_beats_less_one_o(burst_beats_less_one),
    .read_valid_i, .read_data_i, .read_error_i, .read_last_i(1'b1),
    .command_ready_i
  );
  burst_rules #(.BusBytes(16)) u_rules (
    .clk_i, .rst_ni, .valid_i(burst_valid), .ready_i(burst_ready_i), .address_i(burst_address),
    .beats_less_one_i(burst_beats_less_one)
  );

  logic began_q = 1'b0;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    reset_first: assume (began_q || !rst_ni);
  end

endmodule
