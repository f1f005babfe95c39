// The fetcher's bursts on AR: AXI4's rules, windows; commands that arrive find room and none is lost,
// and a fetcher that may ask does.
module fetcher_properties (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [35:0]  ring_place_i,  // the ring's base is a multiple of 16
  input logic [4:0]   ring_log2_i,
  input logic [23:0]  ring_tail_i,
  input logic [23:0]  head_i,
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

  logic burst_valid, command_valid, fault_raised, idle;
  logic [39:0] burst_address;
  logic [7:0] burst_beats_less_one;
  logic [127:0] command_word;
  logic [23:0] next;

  (* hierconn *) logic \u_dut.asked_valid_q , \u_dut.checked_valid_q ;
  logic busy;
  assign busy = !idle || \u_dut.asked_valid_q || \u_dut.checked_valid_q ;
  logic [159:0] windows_base, windows_end;
  logic [3:0] windows_open;
  windows_stay u_windows (
    .clk_i, .busy_i(busy), .windows_base_i, .windows_end_i, .windows_open_i,
    .windows_base_o(windows_base), .windows_end_o(windows_end), .windows_open_o(windows_open)
  );

  systole_fetcher u_dut (
    .clk_i, .rst_ni, .ring_base_i({ring_place_i, 4'd0}), .ring_log2_i, .ring_tail_i, .head_i,
    .windows_base_i(windows_base), .windows_end_i(windows_end),
    .windows_open_i(windows_open), .stop_i, .clear_i,
    .burst_valid_o(burst_valid), .burst_ready_i, .burst_data_address_o(burst_address),
    .burst_data_beats_less_one_o(burst_beats_less_one),
    .read_valid_i, .read_data_i, .read_error_i, .read_last_i(1'b1),
    .command_valid_o(command_valid), .command_ready_i, .command_data_word_o(command_word),
    .fault_raised_o(fault_raised), .idle_o(idle), .next_o(next)
  );
  burst_rules #(.BusBytes(16)) u_rules (
    .clk_i, .rst_ni, .valid_i(burst_valid), .ready_i(burst_ready_i), .address_i(burst_address),
    .beats_less_one_i(burst_beats_less_one), .windows_base_i(windows_base), .windows_end_i(windows_end),
    .windows_open_i(windows_open)
  );

  // ---- Windows: what was checked is what the burst will bring ----
  (* hierconn *) logic [39:0] \u_dut.asked_address_q , \u_dut.checked_address_q ;
  (* hierconn *) logic [3:0] \u_dut.around_begin_before_q , \u_dut.around_end_after_q ;
  logic [3:0] begin_before, end_after;
  windows_around u_checked (
    .first_i(\u_dut.checked_address_q ), .last_i(\u_dut.checked_address_q + 40'd15),
    .windows_base_i(windows_base), .windows_end_i(windows_end),
    .windows_open_i(windows_open),
    .begin_before_o(begin_before), .end_after_o(end_after)
  );
  always @(posedge clk_i) begin
    if (rst_ni && \u_dut.checked_valid_q ) lemma_window: assert (
      (\u_dut.around_begin_before_q == begin_before) && (\u_dut.around_end_after_q == end_after)
      && (\u_dut.checked_address_q [3:0] == 4'd0));
    if (rst_ni && \u_dut.asked_valid_q ) lemma_window_place: assert (
      \u_dut.asked_address_q [3:0] == 4'd0);
  end

  // ---- Commands: those on their way and those that wait ----
  (* hierconn *) logic [4:0] \u_dut.owed_q , \u_dut.u_commands.count_q ;
  logic began_q = 1'b0;
  logic [5:0] owed_q, held_q;  // bursts taken and not answered; commands that wait to be taken
  logic [2:0] waits_q;         // clocks in which it could have asked
  logic taken, kept, popped, may_ask;
  assign taken = burst_valid && burst_ready_i;
  assign kept = read_valid_i && !read_error_i && !stop_i;
  assign popped = command_valid && command_ready_i;
  // A command that it has passed is still to be asked for until its burst is offered.
  (* hierconn *) logic \u_dut.blocked_q ;
  logic refused_q;  // it has said why
  assign may_ask = !stop_i && !clear_i && !fault_raised && !\u_dut.blocked_q
                   && ((next != ring_tail_i) || \u_dut.asked_valid_q || \u_dut.checked_valid_q )
                   && (owed_q == 6'd0) && (held_q == 6'd0) && !burst_valid;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    owed_q <= rst_ni ? owed_q + 6'(taken) - 6'(read_valid_i) : 6'd0;
    held_q <= rst_ni ? held_q + 6'(kept) - 6'(popped) : 6'd0;
    waits_q <= (rst_ni && may_ask) ? waits_q + 3'd1 : 3'd0;
    refused_q <= rst_ni && !stop_i && !clear_i && (refused_q || fault_raised);
    reset_first: assume (began_q || !rst_ni);
    if (rst_ni && read_valid_i) memory_answers_requests: assume (owed_q != 6'd0);
    if (rst_ni) begin
      at_most_16_on_their_way: assert (owed_q + held_q <= 6'd16);
      no_command_is_lost: assert (command_valid == (held_q != 6'd0));
      it_asks_or_says_why: assert (waits_q < 3'd4);
      lemma_owed: assert (6'(\u_dut.owed_q ) == owed_q + held_q + 6'(burst_valid)
        + 6'(\u_dut.asked_valid_q ) + 6'(\u_dut.checked_valid_q ));
      lemma_blocked: assert (!\u_dut.blocked_q || refused_q || fault_raised);
      lemma_held: assert (6'(\u_dut.u_commands.count_q ) == held_q);
      lemma_range: assert (owed_q <= 6'd16 && held_q <= 6'd16 && \u_dut.owed_q <= 5'd16);
    end
  end

endmodule
