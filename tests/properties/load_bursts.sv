// The load engine's bursts on AR: AXI4's rules, and no deadlock.
module load_bursts_properties (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         stretch_valid_i,
  input logic [17:0]  stretch_bytes_i,
  input logic [39:0]  stretch_address_i,
  input logic [23:0]  stretch_command_i,
  input logic         stop_i,
  input logic [159:0] windows_base_i,
  input logic [159:0] windows_end_i,
  input logic [3:0]   windows_open_i,
  input logic         burst_ready_i,
  input logic         burst_done_i
);

  logic stretch_ready, burst_valid, fault_raised, idle, none_in_flight;
  logic [39:0] burst_address;
  logic [7:0] burst_beats_less_one;

  systole_load_bursts u_dut (
    .clk_i, .rst_ni, .stretch_valid_i, .stretch_bytes_i, .stretch_address_i, .stretch_command_i,
    .stop_i, .windows_base_i, .windows_end_i, .windows_open_i, .burst_ready_i, .burst_done_i,
    .stretch_ready_o(stretch_ready),
    .burst_valid_o(burst_valid),
    .burst_data_address_o(burst_address),
    .burst_data_beats_less_one_o(burst_beats_less_one),
    .fault_raised_o(fault_raised),
    .idle_o(idle),
    .none_in_flight_o(none_in_flight)
  );

  burst_rules u_rules (
    .clk_i, .rst_ni, .valid_i(burst_valid), .ready_i(burst_ready_i), .address_i(burst_address),
    .beats_less_one_i(burst_beats_less_one), .windows_base_i, .windows_end_i, .windows_open_i
  );

  // ---- What the device around it promises ----
  logic began_q = 1'b0;
  logic [7:0] owed_q;  // bursts taken whose last beat has not come
  logic taken;
  assign taken = burst_valid && burst_ready_i;

  // ---- No deadlock: where nothing is owed or offered, work makes a burst or a fault ----
  (* hierconn *) logic [7:0] \u_dut.in_flight_q ;
  (* hierconn *) logic \u_dut.blocked_q ;
  logic refused_q;
  logic [2:0] waits_q;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    owed_q <= rst_ni ? owed_q + 8'(taken) - 8'(burst_done_i) : 8'd0;
    reset_first: assume (began_q || !rst_ni);
    refused_q <= rst_ni && !stop_i && (refused_q || fault_raised);
    waits_q <= (rst_ni && !idle && !stop_i && !burst_valid && !fault_raised && !refused_q
                && owed_q == 8'd0) ? waits_q + 3'd1 : 3'd0;
    if (rst_ni) begin
      it_offers_or_says_why: assert (waits_q < 3'd4);
      lemma_in_flight: assert (\u_dut.in_flight_q == owed_q + 8'(burst_valid));
      lemma_owed: assert (owed_q != 8'd255 || !burst_valid);
      lemma_blocked: assert (!\u_dut.blocked_q || refused_q || fault_raised);
    end
    if (rst_ni && stretch_valid_i) a_stretch_has_bytes: assume (stretch_bytes_i != 18'd0);
    if (rst_ni && burst_done_i) memory_answers_requests: assume (owed_q != 8'd0);
  end

endmodule
