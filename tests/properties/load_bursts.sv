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

  logic stretch_ready, burst_valid, fault_raised, idle;
  logic [39:0] burst_address;
  logic [7:0] burst_beats_less_one;

  logic busy;
  assign busy = !idle || burst_valid;
  logic [159:0] windows_base, windows_end;
  logic [3:0] windows_open;
  windows_stay u_windows (
    .clk_i, .busy_i(busy), .windows_base_i, .windows_end_i, .windows_open_i,
    .windows_base_o(windows_base), .windows_end_o(windows_end), .windows_open_o(windows_open)
  );

  systole_load_bursts u_dut (
    .clk_i, .rst_ni, .stretch_valid_i, .stretch_bytes_i, .stretch_address_i, .stretch_command_i,
    .stop_i, .windows_base_i(windows_base), .windows_end_i(windows_end),
    .windows_open_i(windows_open), .burst_ready_i, .burst_done_i,
    .stretch_ready_o(stretch_ready),
    .burst_valid_o(burst_valid),
    .burst_data_address_o(burst_address),
    .burst_data_beats_less_one_o(burst_beats_less_one),
    .fault_raised_o(fault_raised),
    .idle_o(idle)
  );

  burst_rules u_rules (
    .clk_i, .rst_ni, .valid_i(burst_valid), .ready_i(burst_ready_i), .address_i(burst_address),
    .beats_less_one_i(burst_beats_less_one), .windows_base_i(windows_base), .windows_end_i(windows_end),
    .windows_open_i(windows_open)
  );

  // ---- Windows: what was checked is what a burst on its way will bring ----
  (* hierconn *) logic \u_dut.checked_valid_q , \u_dut.offered_push_ready ;
  (* hierconn *) logic [39:0] \u_dut.checked_first_q ;
  (* hierconn *) logic [7:0] \u_dut.checked_last_q ;
  (* hierconn *) logic [3:0] \u_dut.around_begin_before_q , \u_dut.around_end_after_q ;
  (* hierconn *) logic [47:0] \u_dut.u_offered.spare_q ;
  logic [3:0] begin_before, end_after, spare_begin_before, spare_end_after;
  windows_around u_checked (
    .first_i(\u_dut.checked_first_q ), .last_i({\u_dut.checked_first_q [39:8], \u_dut.checked_last_q }),
    .windows_base_i(windows_base), .windows_end_i(windows_end),
    .windows_open_i(windows_open),
    .begin_before_o(begin_before), .end_after_o(end_after)
  );
  // The burst in the slice's spare register. It lies in one block of 256 bytes if it has 16 beats at
  // most, as every burst that is offered.
  logic [7:0] spare_last_beat;
  assign spare_last_beat = \u_dut.u_offered.spare_q [11:4] + \u_dut.u_offered.spare_q [47:40];
  windows_around u_spare (
    .first_i(\u_dut.u_offered.spare_q [39:0]),
    .last_i({\u_dut.u_offered.spare_q [39:12], spare_last_beat, 4'd0}),
    .windows_base_i(windows_base), .windows_end_i(windows_end),
    .windows_open_i(windows_open),
    .begin_before_o(spare_begin_before), .end_after_o(spare_end_after)
  );
  always @(posedge clk_i) begin
    if (rst_ni && \u_dut.checked_valid_q ) lemma_window_checked: assert (
      (\u_dut.around_begin_before_q == begin_before) && (\u_dut.around_end_after_q == end_after));
    if (rst_ni && !\u_dut.offered_push_ready ) lemma_window_spare: assert (burst_valid
      && ((\u_dut.u_offered.spare_q [47:40] > 8'd15)
          || ((spare_begin_before & spare_end_after) != 4'd0)));
  end

  // ---- What the device around it promises ----
  logic began_q = 1'b0;
  logic [7:0] owed_q;  // bursts taken whose last beat has not come
  logic taken;
  assign taken = burst_valid && burst_ready_i;

  // ---- No deadlock: where nothing is owed or offered, work makes a burst or a fault ----
  (* hierconn *) logic [7:0] \u_dut.in_flight_q ;
  (* hierconn *) logic \u_dut.blocked_q ;
  (* hierconn *) logic \u_dut.parts_push_ready , \u_dut.parts_pop_valid ,
                       \u_dut.stretch_ready_o , \u_dut.stretches_pop_valid ;
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
      lemma_in_flight: assert (9'(\u_dut.in_flight_q )
        == 9'(owed_q) + 9'(burst_valid) + 9'(!\u_dut.offered_push_ready ));
      lemma_offered: assert (\u_dut.offered_push_ready || burst_valid);
      lemma_parts: assert (\u_dut.parts_push_ready || \u_dut.parts_pop_valid );
      lemma_stretches: assert (\u_dut.stretch_ready_o || \u_dut.stretches_pop_valid );
      lemma_blocked: assert (!\u_dut.blocked_q || refused_q || fault_raised);
    end
    if (rst_ni && stretch_valid_i) a_stretch_has_bytes: assume (stretch_bytes_i != 18'd0);
    if (rst_ni && burst_done_i) memory_answers_requests: assume (owed_q != 8'd0);
  end

endmodule
