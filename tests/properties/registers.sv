// The AXI4-Lite subordinate: answers to what was asked, each once, OKAY or SLVERR, and soon. Valid
// and payload hold still: systole_registers asserts that itself.
module registers_properties (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         write_address_valid_i,
  input logic [11:0]  write_address_i,
  input logic         write_data_valid_i,
  input logic [31:0]  write_data_i,
  input logic [3:0]   write_strobe_i,
  input logic         write_response_ready_i,
  input logic         read_address_valid_i,
  input logic [11:0]  read_address_i,
  input logic         read_data_ready_i,
  input logic         clear_i,
  input logic [3:0]   status_i,
  input logic [3:0]   fault_code_i,
  input logic [23:0]  fault_command_i,
  input logic [39:0]  fault_address_i,
  input logic [23:0]  head_i,
  input logic [31:0]  marker_i,
  input logic [2:0]   interrupts_i,
  input logic [29:0]  counts_i
);

  logic aw_ready, w_ready, b_valid, ar_ready, r_valid;
  logic [1:0] b_response, r_response;
  systole_registers u_dut (
    .clk_i, .rst_ni,
    .write_address_valid_i, .write_address_ready_o(aw_ready),
    .write_address_data_i(write_address_i),
    .write_data_valid_i, .write_data_ready_o(w_ready), .write_data_data_data_i(write_data_i),
    .write_data_data_strobe_i(write_strobe_i),
    .write_response_valid_o(b_valid), .write_response_ready_i,
    .write_response_data_o(b_response),
    .read_address_valid_i, .read_address_ready_o(ar_ready), .read_address_data_i(read_address_i),
    .read_data_valid_o(r_valid), .read_data_ready_i, .read_data_data_response_o(r_response),
    .clear_i, .status_i, .fault_code_i, .fault_command_i, .fault_address_i, .head_i, .marker_i,
    .interrupts_i, .counts_i
  );

  // Taken and not answered.
  logic [1:0] addresses_q, data_q, reads_q;
  // Clocks in which something was to be done and was not.
  logic [2:0] write_waits_q, response_waits_q, read_waits_q, data_waits_q;
  logic aw, w, b, ar, r;
  assign aw = write_address_valid_i && aw_ready;
  assign w = write_data_valid_i && w_ready;
  assign b = b_valid && write_response_ready_i;
  assign ar = read_address_valid_i && ar_ready;
  assign r = r_valid && read_data_ready_i;

  // The host keeps what it offers.
  logic began_q = 1'b0;
  logic aw_waits_q, w_waits_q, ar_waits_q;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    reset_first: assume (began_q || !rst_ni);
    aw_waits_q <= rst_ni && write_address_valid_i && !aw_ready;
    w_waits_q <= rst_ni && write_data_valid_i && !w_ready;
    ar_waits_q <= rst_ni && read_address_valid_i && !ar_ready;
    if (rst_ni) the_host_keeps_what_it_offers: assume (
      (!aw_waits_q || write_address_valid_i) && (!w_waits_q || write_data_valid_i) &&
      (!ar_waits_q || read_address_valid_i));
  end

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      addresses_q <= '0;
      data_q <= '0;
      reads_q <= '0;
      write_waits_q <= '0;
      response_waits_q <= '0;
      read_waits_q <= '0;
      data_waits_q <= '0;
    end else begin
      addresses_q <= addresses_q + 2'(aw) - 2'(b);
      data_q <= data_q + 2'(w) - 2'(b);
      reads_q <= reads_q + 2'(ar) - 2'(r);
      write_waits_q <= (write_address_valid_i && write_data_valid_i && !b_valid && !(aw && w))
                       ? write_waits_q + 3'd1 : 3'd0;
      response_waits_q <= (addresses_q != '0 && data_q != '0 && !b_valid)
                          ? response_waits_q + 3'd1 : 3'd0;
      read_waits_q <= (read_address_valid_i && !r_valid && !ar) ? read_waits_q + 3'd1 : 3'd0;
      data_waits_q <= (reads_q != '0 && !r_valid) ? data_waits_q + 3'd1 : 3'd0;

      if (b_valid) write_answered_once: assert (addresses_q != '0 && data_q != '0);
      if (r_valid) read_answered_once: assert (reads_q != '0);
      if (b_valid) write_okay_or_slverr: assert (!b_response[0]);
      if (r_valid) read_okay_or_slverr: assert (!r_response[0]);
      one_at_a_time: assert (addresses_q < 2'd2 && data_q < 2'd2 && reads_q < 2'd2);
      writes_are_taken_soon: assert (write_waits_q < 3'd3);
      writes_are_answered_soon: assert (response_waits_q < 3'd3);
      reads_are_taken_soon: assert (read_waits_q < 3'd3);
      reads_are_answered_soon: assert (data_waits_q < 3'd3);
    end
  end

endmodule
