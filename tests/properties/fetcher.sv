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

  logic burst_valid, command_valid, fault_raised;
  logic [39:0] burst_address;
  logic [7:0] burst_beats_less_one;
  logic [127:0] command_word;
  logic [23:0] next;
  systole_fetcher u_dut (
    .clk_i, .rst_ni, .ring_base_i({ring_place_i, 4'd0}), .ring_log2_i, .ring_tail_i, .head_i,
    .windows_base_i, .windows_end_i, .windows_open_i, .stop_i, .clear_i,
    .burst_valid_o(burst_valid), .burst_ready_i, .burst_data_address_o(burst_address),
    .burst_data_beats_less_one_o(burst_beats_less_one),
    .read_valid_i, .read_data_i, .read_error_i, .read_last_i(1'b1),
    .command_valid_o(command_valid), .command_ready_i, .command_data_word_o(command_word),
    .fault_raised_o(fault_raised), .next_o(next)
  );
  burst_rules #(.BusBytes(16)) u_rules (
    .clk_i, .rst_ni, .valid_i(burst_valid), .ready_i(burst_ready_i), .address_i(burst_address),
    .beats_less_one_i(burst_beats_less_one), .windows_base_i, .windows_end_i, .windows_open_i
  );

  // ---- Commands: those on their way and those that wait ----
  (* hierconn *) logic [4:0] \u_dut.owed_q , \u_dut.u_commands.count_q ;
  logic began_q = 1'b0;
  logic [5:0] owed_q, held_q;  // bursts taken and not answered; commands that wait to be taken
  logic [2:0] waits_q;         // clocks in which it could have asked
  logic taken, kept, popped, may_ask;
  assign taken = burst_valid && burst_ready_i;
  assign kept = read_valid_i && !read_error_i && !stop_i;
  assign popped = command_valid && command_ready_i;
  assign may_ask = !stop_i && !clear_i && !fault_raised && (next != ring_tail_i)
                   && (owed_q == 6'd0) && (held_q == 6'd0) && !burst_valid;
  always @(posedge clk_i) begin
    began_q <= 1'b1;
    owed_q <= rst_ni ? owed_q + 6'(taken) - 6'(read_valid_i) : 6'd0;
    held_q <= rst_ni ? held_q + 6'(kept) - 6'(popped) : 6'd0;
    waits_q <= (rst_ni && may_ask) ? waits_q + 3'd1 : 3'd0;
    reset_first: assume (began_q || !rst_ni);
    if (rst_ni && read_valid_i) memory_answers_requests: assume (owed_q != 6'd0);
    if (rst_ni) begin
      at_most_16_on_their_way: assert (owed_q + held_q <= 6'd16);
      no_command_is_lost: assert (command_valid == (held_q != 6'd0));
      it_asks_or_says_why: assert (waits_q < 3'd2);
      lemma_owed: assert (6'(\u_dut.owed_q ) == owed_q + held_q + 6'(burst_valid));
      lemma_held: assert (6'(\u_dut.u_commands.count_q ) == held_q);
      lemma_range: assert (owed_q <= 6'd16 && held_q <= 6'd16 && \u_dut.owed_q <= 5'd16);
    end
  end

endmodule
