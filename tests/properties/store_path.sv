// The write side of the master: AW, W and B of systole_store_engine.
//
// Cut: systole_store_rows and systole_vector_lanes. Rows of any address and length, and chunks of
// data at any time, come from where they were; what is assumed of them has a name.
module store_path_properties (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         watch_i,
  input logic [159:0] windows_base_i,
  input logic [159:0] windows_end_i,
  input logic [3:0]   windows_open_i,
  input logic         stop_i,
  input logic         burst_ready_i,
  input logic         write_ready_i,
  input logic         response_valid_i,
  input logic         response_error_i
);

  logic burst_valid, write_valid, write_last, response_ready, fault_raised, idle;
  logic [39:0] burst_address;
  logic [7:0] burst_beats_less_one;
  logic [15:0] write_strobe;
  (* hierconn *) logic \u_dut.bursts_idle ;
  logic busy;
  assign busy = !\u_dut.bursts_idle || burst_valid;
  logic [159:0] windows_base, windows_end;
  logic [3:0] windows_open;
  windows_stay u_windows (
    .clk_i, .busy_i(busy), .windows_base_i, .windows_end_i, .windows_open_i,
    .windows_base_o(windows_base), .windows_end_o(windows_end), .windows_open_o(windows_open)
  );

  systole_store_engine u_dut (
    .clk_i, .rst_ni, .command_valid_i(1'b0), .command_data_word_i('0), .command_data_index_i('0),
    .tokens_i('0), .windows_base_i(windows_base), .windows_end_i(windows_end),
    .windows_open_i(windows_open), .stop_i,
    .result_valid_i(1'b0), .result_i('0), .mask_i('0),
    .burst_valid_o(burst_valid), .burst_ready_i, .burst_data_address_o(burst_address),
    .burst_data_beats_less_one_o(burst_beats_less_one),
    .write_valid_o(write_valid), .write_ready_i, .write_data_strobe_o(write_strobe),
    .write_data_last_o(write_last),
    .response_valid_i, .response_error_i, .response_ready_o(response_ready),
    .fault_raised_o(fault_raised), .idle_o(idle)
  );

  burst_rules #(.BusBytes(16)) u_burst_rules (
    .clk_i, .rst_ni, .valid_i(burst_valid), .ready_i(burst_ready_i), .address_i(burst_address),
    .beats_less_one_i(burst_beats_less_one), .windows_base_i(windows_base), .windows_end_i(windows_end),
    .windows_open_i(windows_open)
  );

  write_rules #(.BusBytes(16)) u_write_rules (
    .clk_i, .rst_ni, .watch_i, .burst_valid_i(burst_valid), .burst_ready_i,
    .burst_address_i(burst_address), .burst_beats_less_one_i(burst_beats_less_one),
    .burst_last_i(burst_last_q[3:0]),
    .write_valid_i(write_valid), .write_ready_i, .write_strobe_i(write_strobe),
    .write_last_i(write_last)
  );
  // The last byte that a burst may write: what was checked against the windows.
  (* hierconn *) logic [39:0] \u_dut.u_bursts.part_last_q ;
  (* hierconn *) logic \u_dut.u_bursts.is_checked , \u_dut.u_bursts.leaves , \u_dut.u_bursts.is_inside ,
                       \u_dut.u_bursts.checked_valid_q ;
  (* hierconn *) logic [39:0] \u_dut.u_bursts.part_first_q ;
  (* hierconn *) logic [2:0] \u_dut.u_bursts.part_job_last_beat_q ;
  (* hierconn *) logic [39:0] \u_dut.u_bursts.checked_first_q ;
  (* hierconn *) logic [2:0] \u_dut.u_bursts.checked_job_last_beat_q ;
  (* hierconn *) logic [3:0] \u_dut.u_bursts.around_begin_before_q , \u_dut.u_bursts.around_end_after_q ;
  (* hierconn *) logic [73:0] \u_dut.u_bursts.rows_pop_data , \u_dut.u_bursts.rows_push_data ;
  (* hierconn *) logic \u_dut.u_bursts.second_q , \u_dut.u_bursts.u_rows.pop_ready_i ;
  logic head_stays_q;
  logic [73:0] head_q;
  logic [39:0] checked_last_q, burst_last_q, queued_last;
  logic [7:0] last_line;  // of 16 bytes, in its 4 KiB
  assign queued_last = \u_dut.u_bursts.rows_pop_data [39:0]
                       + 40'(\u_dut.u_bursts.rows_pop_data [46:40]);
  assign last_line = \u_dut.u_bursts.part_first_q [11:4]
                     + 8'(\u_dut.u_bursts.part_job_last_beat_q );
  // Whether a row crosses 4 KiB, as it is pushed and as it is popped.
  logic [6:0] pushed_end, queued_end;
  logic pushed_crosses, queued_crosses;
  assign pushed_end = 7'(\u_dut.u_bursts.rows_push_data [3:0]) + \u_dut.u_bursts.rows_push_data [46:40];
  assign pushed_crosses = ~\u_dut.u_bursts.rows_push_data [11:4] < 8'(pushed_end[6:4]);
  assign queued_end = 7'(\u_dut.u_bursts.rows_pop_data [3:0]) + \u_dut.u_bursts.rows_pop_data [46:40];
  assign queued_crosses = ~\u_dut.u_bursts.rows_pop_data [11:4] < 8'(queued_end[6:4]);
  logic [7:0] checked_last_line;
  assign checked_last_line = \u_dut.u_bursts.checked_first_q [11:4]
                             + 8'(\u_dut.u_bursts.checked_job_last_beat_q );
  logic [3:0] begin_before, end_after;  // of what was checked, but for bytes of its last beat
  windows_around u_checked (
    .first_i(\u_dut.u_bursts.checked_first_q ),
    .last_i({\u_dut.u_bursts.checked_first_q [39:12], checked_last_line, 4'd0}),
    .windows_base_i(windows_base), .windows_end_i(windows_end),
    .windows_open_i(windows_open),
    .begin_before_o(begin_before), .end_after_o(end_after)
  );
  always @(posedge clk_i) begin
    // Queues keep their words: proved of systole_fifo.
    if (rst_ni) lemma_part_pushed: assert (
      \u_dut.u_bursts.rows_push_data [73] == pushed_crosses);
    if (rst_ni && \u_dut.u_bursts.rows_pop_valid ) queued_rows_are_rows: assume (
      !\u_dut.u_bursts.rows_pop_data [46] && (queued_last >= \u_dut.u_bursts.rows_pop_data [39:0])
      && (\u_dut.u_bursts.rows_pop_data [73] == queued_crosses));
    head_stays_q <= rst_ni && \u_dut.u_bursts.rows_pop_valid && !\u_dut.u_bursts.u_rows.pop_ready_i ;
    head_q <= \u_dut.u_bursts.rows_pop_data ;
    if (rst_ni && head_stays_q) the_first_row_stays: assume (
      \u_dut.u_bursts.rows_pop_valid && (\u_dut.u_bursts.rows_pop_data == head_q));
    if (rst_ni && \u_dut.u_bursts.second_q ) lemma_part_of_two: assert (
      \u_dut.u_bursts.rows_pop_valid && \u_dut.u_bursts.rows_pop_data [73] && head_stays_q);
    if (rst_ni && \u_dut.u_bursts.part_valid_q ) lemma_part: assert (
      \u_dut.u_bursts.part_last_q [39:4] == {\u_dut.u_bursts.part_first_q [39:12], last_line});
    if (rst_ni && \u_dut.u_bursts.checked_valid_q ) lemma_part_checked: assert (
      ((\u_dut.u_bursts.around_begin_before_q & ~begin_before) == 4'd0)
      && ((\u_dut.u_bursts.around_end_after_q & ~end_after) == 4'd0));
    if (\u_dut.u_bursts.is_checked ) checked_last_q <= \u_dut.u_bursts.part_last_q ;
    if (\u_dut.u_bursts.leaves && \u_dut.u_bursts.is_inside ) burst_last_q <= checked_last_q;
  end

  // ---- Answers ----
  (* hierconn *) logic \u_dut.rests_q , \u_dut.u_bursts.failed_q ;
  logic [6:0] owed;
  logic failed;
  write_answers u_answers (
    .clk_i, .rst_ni, .burst_valid_i(burst_valid), .burst_ready_i, .response_valid_i,
    .response_error_i, .response_ready_i(response_ready), .stop_i, .fault_raised_i(fault_raised),
    .idle_i(idle), .owed_o(owed), .failed_o(failed)
  );
  always @(posedge clk_i) if (rst_ni) begin
    lemma_owed: assert (\u_dut.u_bursts.u_answers.count_q == owed);
    lemma_rests: assert (!\u_dut.rests_q || \u_dut.u_bursts.outstanding_q == 7'd0);
    lemma_told: assert (!\u_dut.u_bursts.failed_q || fault_raised || stop_i);
    lemma_failed: assert (!failed || fault_raised || stop_i);
  end

  // ---- No deadlock: what can go on does ----
  (* hierconn *) logic [6:0] \u_dut.u_bursts.outstanding_q ;
  (* hierconn *) logic [3:0] \u_dut.u_bursts.jobs_q ;
  (* hierconn *) logic \u_dut.u_bursts.part_valid_q , \u_dut.u_bursts.rows_pop_valid ,
                       \u_dut.u_bursts.halted , \u_dut.u_beats.jobs_valid_q ,
                       \u_dut.u_beats.chunks_pop_valid ;
  (* hierconn *) logic [6:0] \u_dut.u_bursts.u_answers.count_q ;
  logic [2:0] offer_waits_q, beat_waits_q;
  always @(posedge clk_i) begin
    offer_waits_q <= (rst_ni && (\u_dut.u_bursts.checked_valid_q
                      || \u_dut.u_bursts.part_valid_q || \u_dut.u_bursts.rows_pop_valid )
                      && !\u_dut.u_bursts.halted && (\u_dut.u_bursts.jobs_q != 4'd8)
                      && (\u_dut.u_bursts.outstanding_q != 7'd64) && !burst_valid)
                     ? offer_waits_q + 3'd1 : 3'd0;
    beat_waits_q <= (rst_ni && \u_dut.u_beats.jobs_valid_q && \u_dut.u_beats.chunks_pop_valid
                     && !write_valid) ? beat_waits_q + 3'd1 : 3'd0;
    if (rst_ni) begin
      it_offers_or_says_why: assert (offer_waits_q < 3'd4);
      it_writes_what_it_can: assert (beat_waits_q < 3'd3);
    end
  end

  // ---- What is cut ----
  (* hierconn *) logic \u_dut.rows_row_valid ;
  (* hierconn *) logic [39:0] \u_dut.rows_row_data_address ;
  (* hierconn *) logic [6:0] \u_dut.rows_row_data_last_byte ;
  logic [39:0] row_last;
  assign row_last = \u_dut.rows_row_data_address + 40'(\u_dut.rows_row_data_last_byte );

  always @(posedge clk_i) begin
    if (rst_ni && \u_dut.rows_row_valid ) a_row_has_four_chunks_at_most: assume (
      (\u_dut.rows_row_data_last_byte < 7'd64) && (row_last >= \u_dut.rows_row_data_address ));
  end

endmodule
